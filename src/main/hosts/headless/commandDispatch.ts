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
  // Loaded only when asked for: the protocol's library is nothing for the start of the application to wait for.
  mcp: async (args, context) => (await import('../mcp/mcpCommand.ts')).mcp(args, context),
  tour,
  conversations,
  export: exportConversation,
  import: importConversation,
  checkpoints,
  // As the tour, it plays the model's side itself.
  replay: async (args, context) => (await import('./replayCommand.ts')).replay(args, context),
  '--help': (_args, { output }) => say(output.line, usage),
  '-h': (_args, { output }) => say(output.line, usage),
  '--version': (_args, { output, installation }) => say(output.line, installation.version),
}

/** Every first word that is a command. */
export const commandWords: readonly string[] = Object.keys(commands)

/** Whether a first word is one of the commands that need no window. */
export function isCommand(word: string | undefined): word is string {
  return word !== undefined && Object.hasOwn(commands, word)
}

/**
 * Runs a command line such as `['run', 'prompt', …]` and returns its exit code (usage.ts). Never throws. Standard output
 * carries results only; what went wrong stands on standard error.
 */
export async function runCommand(argv: readonly string[], given: Partial<CommandContext> = {}): Promise<number> {
  const [word, ...args] = argv
  const command = isCommand(word) ? commands[word] : undefined
  if (command === undefined) {
    console.error(word === undefined ? usage : `There is no command "${word}".\n\n${usage}`)
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

/** For a process that runs one command: an error that nobody handled ends it with 1, in words. */
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

/** What asks a program to end: Ctrl+C, a supervisor, and the terminal or SSH connection that goes away. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal ends the turn and what it started; a second one leaves at once. */
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
