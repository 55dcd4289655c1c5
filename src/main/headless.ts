import './wasmFlags.ts'
import { endOnUnhandled, runCommand } from './hosts/headless/commandDispatch.ts'

endOnUnhandled()
// Exits explicitly because idle handles, such as standard input, would keep the process alive.
process.exit(await runCommand(process.argv.slice(2)))
