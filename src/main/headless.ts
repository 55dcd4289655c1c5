import './wasmFlags.ts'
import { endOnUnhandled, runCommand } from './hosts/headless/commandDispatch.ts'

endOnUnhandled()
/** `run`, `call`, `tools`, `mcp` and `tour` without a window. Everything that was started has ended by now, so leave at once. */
process.exit(await runCommand(process.argv.slice(2)))
