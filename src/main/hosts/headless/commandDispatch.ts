import { createCore } from '../../core.ts'
import { toFailure } from '../../../shared/errors.ts'
import { openLogFile } from '../../base/log/logFile.ts'
import { UsageError } from '../appArguments.ts'
import { findInstallation, userDataFolder } from '../installation.ts'
import { call } from './callCommand.ts'
import { checkpoints } from './checkpointsCommand.ts'
import type { CommandContext } from './commandContext.ts'
import { conversations, exportConversation, importConversation } from './conversationsCommand.ts'
import { BrokenPipe, createOutput } from './standardOutput.ts'
import { run } from './promptCommand.ts'
import { tools } from './toolsCommand.ts'
import { tour } from './tourCommand.ts'
import { exitCodes, usage } from './commandHelp.ts'

type Command = (args: readonly string[], context: CommandContext) => Promise<number>

const commands: Readonly<Record<string, Command>> = {
  run,
  call,
  tools,
  // Loaded on demand, because the protocol's library would delay the start of the application.
  mcp: async (args, context) => (await import('../mcp/mcpCommand.ts')).mcp(args, context),
  tour,
  conversations,
  export: exportConversation,
  import: importConversation,
  checkpoints,
  // Loaded on demand: it includes the scripted model.
  replay: async (args, context) => (await import('./replayCommand.ts')).replay(args, context),
  '--help': (_args, { output }) => say(output.line, usage),
  '-h': (_args, { output }) => say(output.line, usage),
  '--version': (_args, { output, installation }) => say(output.line, installation.version),
}

/** Names of all commands. */
export const commandWords: readonly string[] = Object.keys(commands)

/** Whether the first argument is a command, which needs no window. */
export function isCommand(word: string | undefined): word is string {
  return word !== undefined && Object.hasOwn(commands, word)
}

/**
 * Runs a command line such as `['run', 'prompt', …]` and returns its exit code (commandHelp.ts). Never throws. Results go to
 * standard output, errors to standard error.
 */
export async function runCommand(argv: readonly string[], given: Partial<CommandContext> = {}): Promise<number> {
  const [word, ...args] = argv
  const command = isCommand(word) ? commands[word] : undefined
  if (command === undefined) {
    console.error(word === undefined ? usage : `Unknown command "${word}".\n\n${usage}`)
    return exitCodes.usage
  }
  const userData = given.userData ?? userDataFolder()
  const logFile = openLogFile(userData)
  const output = given.output ?? createOutput(process.stdout)
  const { signal, release } =
    given.interrupted === undefined ? interruption() : { signal: given.interrupted, release: () => {} }
  try {
    return await command(args, {
      createCore,
      installation: given.installation ?? findInstallation(),
      userData,
      stdin: process.stdin,
      ...given,
      output,
      interrupted: AbortSignal.any([signal, output.gone]),
    })
  } catch (error) {
    return reportFailure(error, output.gone)
  } finally {
    release()
    await output.flush()
    await logFile.close()
  }
}

/** For a process that runs one command: prints an unhandled error and exits with 1. */
export function endOnUnhandled(): void {
  const end = (error: unknown): void => {
    reportFailure(error, new AbortController().signal)
    process.exit(exitCodes.failed)
  }
  process.on('unhandledRejection', end)
  process.on('uncaughtException', end)
}

function reportFailure(error: unknown, gone: AbortSignal): number {
  if (gone.aborted && gone.reason instanceof BrokenPipe) return exitCodes.cancelled
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${usage}`)
    return exitCodes.usage
  }
  const failure = toFailure(error)
  if (failure.code === 'cancelled') return exitCodes.cancelled
  if (failure.code === 'internal') console.error('tizona:', error)
  else console.error(`${failure.message} ${failure.next}`.trim())
  return exitCodes.failed
}

/** Signals of Ctrl+C, supervisors, and closed terminals or SSH connections. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal ends the turn and what it started; a second one exits at once. */
function interruption(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.cancelled)
    controller.abort(new DOMException('Interrupted.', 'AbortError'))
  }
  for (const name of endSignals) process.on(name, onSignal)
  return {
    signal: controller.signal,
    release() {
      for (const name of endSignals) process.off(name, onSignal)
    },
  }
}

async function say(line: (text: string) => void, text: string): Promise<number> {
  line(text)
  return exitCodes.done
}
