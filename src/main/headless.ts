import './wasmFlags.ts'
import { endOnUnhandled, runCommand } from './hosts/headless/commandDispatch.ts'

endOnUnhandled()
// Every command has ended what it started, so the process can exit at once.
process.exit(await runCommand(process.argv.slice(2)))
