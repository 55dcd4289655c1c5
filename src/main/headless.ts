import '../shared/zodConfig.ts'
import { cacheCompiledModules } from './hosts/compileCache.ts'

cacheCompiledModules()
// Imported afterwards, so that the cache covers it.
const { endOnUnhandled, runCommand } = await import('./hosts/headless/commandDispatch.ts')

endOnUnhandled()
// Exits explicitly because idle handles, such as standard input, would keep the process alive.
process.exit(await runCommand(process.argv.slice(2)))
