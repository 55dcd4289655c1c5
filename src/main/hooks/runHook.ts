import { toFailure } from '../../shared/errors.ts'
import { pluginVariables, type PluginFolders } from '../../shared/plugins/plugins.ts'
import type { ConfinedProgram, StartConfinedProgram } from '../command/commandTypes.ts'
import type { HookRun } from './hookAnswer.ts'

/** A command line that runs for one event. */
export interface HookProcess {
  command: string
  /** In seconds. */
  timeout: number
  /** Written to standard input as JSON. */
  input: unknown
  /** Folders of the plug-in that brings it. It may change the data, unless programs come from there. */
  pluginFolders?: PluginFolders | undefined
}

interface HookProcessDeps {
  start: StartConfinedProgram
  /** Real path of the folder. */
  root: string
  /** Returns the absolute path of a program on PATH; undefined if there is none. */
  findProgram(name: string): string | undefined
}

/** Maximum bytes of standard output. A hook that writes more is ended. */
const maxOutput = 256 * 1024
/** Characters kept of standard error. The end is kept, because it states the reason. */
const maxErrors = 16 * 1024

/**
 * Runs a hook in the sandbox of commands, without network. Never rejects, unless `signal` aborts.
 * @throws AbortError
 */
export async function runHookProcess(
  { command, timeout, input, pluginFolders }: HookProcess,
  { start, root, findProgram }: HookProcessDeps,
  signal: AbortSignal,
): Promise<HookRun> {
  const failed = (failure: string): HookRun => ({ exitCode: null, output: '', errors: '', failure, notStarted: true })
  const shell = findProgram('bash')
  if (shell === undefined) return failed('No bash was found on PATH.')
  let program: ConfinedProgram
  try {
    program = await start(
      {
        program: shell,
        args: ['-c', command],
        confinement: 'required',
        writes: true,
        cwd: root,
        env: { CLAUDE_PROJECT_DIR: root, ...(pluginFolders && pluginVariables(pluginFolders)) },
        ...(pluginFolders && accessOf(pluginFolders)),
      },
      signal,
    )
  } catch (error) {
    signal.throwIfAborted()
    const { message, next } = toFailure(error)
    return failed(`It could not start. ${message} ${next}`.trim())
  }
  const limit = AbortSignal.timeout(Math.ceil(timeout * 1000))
  const either = AbortSignal.any([signal, limit])
  const stop = (): void => void program.end()
  either.addEventListener('abort', stop, { once: true })
  try {
    if (either.aborted) stop()
    const run = await readRun(program, input, stop)
    signal.throwIfAborted()
    if (limit.aborted) return { ...run, failure: `It took longer than ${timeout} seconds and was ended.` }
    return run
  } finally {
    either.removeEventListener('abort', stop)
    // Ends what it left running.
    await program.end()
    await program.release()
  }
}

const accessOf = ({ root, data, readOnlyData }: PluginFolders) =>
  readOnlyData ? { readable: [root, data] } : { readable: [root], folders: [data] }

async function readRun({ child }: ConfinedProgram, input: unknown, stop: () => void): Promise<HookRun> {
  const chunks: Buffer[] = []
  let bytes = 0
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes > maxOutput) return
    bytes += chunk.length
    if (bytes <= maxOutput) chunks.push(chunk)
    else stop()
  })
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrors)
  })
  // It may exit before it has read everything. Its exit code reports that.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(input))
  const closed = Promise.withResolvers<number | null>()
  child.once('error', closed.reject)
  // A process that it left running can hold the pipes open for ever.
  child.once('exit', (code) => setTimeout(() => closed.resolve(code), lateOutputMs))
  child.once('close', (code) => closed.resolve(code))
  const exitCode = await closed.promise
  const run = { exitCode, output: Buffer.concat(chunks).toString('utf8'), errors: errors.trim() }
  return bytes > maxOutput ? { ...run, failure: 'It printed more than 256 KB and was ended.' } : run
}

/** Milliseconds in which output that is still in the pipes arrives after the exit. */
const lateOutputMs = 1000
