import '../shared/settings/zodConfig.ts'
import { join } from 'node:path'
import { cacheCompiledModules } from './hosts/compileCache.ts'
import { runCompiledScript } from './hosts/compiledScript.ts'
import type * as commands from './hosts/headless/commandDispatch.ts'

/** Milliseconds that a command waits for a model or a client. */
const startTime = 1000

const args = process.argv.slice(2)
const [word = ''] = args
cacheCompiledModules()
const script = runCompiledScript(join(import.meta.dirname, 'chunks', 'commands.cjs'), word.replaceAll(/\W/g, ''))
// Imported only now, so that the compile cache covers it.
const { endOnUnhandledError, isCommand, runCommand } = script
  ? // The bundle has the exports of this module.
    (script.exports as typeof commands)
  : await import('./hosts/headless/commandDispatch.ts')

const keepCode = (): void => (isCommand(word) ? script?.keep() : undefined)
endOnUnhandledError()
setTimeout(keepCode, startTime).unref()
const exitCode = await runCommand(args)
keepCode()
// Exits explicitly, because idle handles such as standard input would keep the process alive.
process.exit(exitCode)
