import { createCore } from '../../core.ts'
import { toFailure } from '../../../shared/errors.ts'
import { openLogFile } from '../../base/log/logFile.ts'
import { rootWarning } from '../../base/processIdentity.ts'
import { UsageError } from '../appArguments.ts'
import { findInstallation, userDataFolder } from '../installation.ts'
import { callCommand } from './callCommand.ts'
import { checkModelCommand } from './checkModelCommand.ts'
import { checkpointsCommand } from './checkpointsCommand.ts'
import type { CommandContext } from './commandContext.ts'
import { conversationsCommand, exportCommand, importCommand } from './conversationsCommand.ts'
import { BrokenPipe, createOutput } from './standardOutput.ts'
import { reviewCommand } from './reviewCommand.ts'
import { sessionsCommand } from './sessionsCommand.ts'
import { promptCommand } from './runTurnCommand.ts'
import { toolsCommand } from './toolsCommand.ts'
import { triesCommand } from './triesCommand.ts'
import { explainLineCommand } from './explainLineCommand.ts'
import { signInCommand } from './signInCommand.ts'
import { tourCommand } from './tourCommand.ts'
import { cancelledCode, commandUsage, EndSignal, endSignals, exitCodes, usage } from './commandHelp.ts'

type Command = (args: readonly string[], context: CommandContext) => Promise<number>

const commands: Readonly<Record<string, Command>> = {
  run: promptCommand,
  tries: triesCommand,
  call: callCommand,
  tools: toolsCommand,
  explain: explainLineCommand,
  // Loaded on demand, because the protocol SDKs would delay the application's start.
  mcp: async ([action, ...args], context) =>
    action === 'login' || action === 'logout'
      ? signInCommand(action, args, context)
      : (await import('./mcpCommand.ts')).mcpCommand(action === undefined ? args : [action, ...args], context),
  acp: async (args, context) => (await import('./acpCommand.ts')).acpCommand(args, context),
  tour: tourCommand,
  conversations: conversationsCommand,
  export: exportCommand,
  import: importCommand,
  checkpoints: checkpointsCommand,
  review: reviewCommand,
  sessions: sessionsCommand,
  plugins: async (args, context) => (await import('./pluginsCommand.ts')).pluginsCommand(args, context),
  'check-model': checkModelCommand,
  doctor: async (args, context) => (await import('./doctorCommand.ts')).doctorCommand(args, context),
  // Loaded on demand, because it includes the scripted model.
  replay: async (args, context) => (await import('./replayCommand.ts')).replayCommand(args, context),
  '--help': (_args, { output }) => print(output.line, usage),
  '-h': (_args, { output }) => print(output.line, usage),
  '--version': (_args, { output, installation }) => print(output.line, installation.version),
}

export const commandWords: readonly string[] = Object.keys(commands)

/** Whether the first argument is a command. Anything else is a folder to open in a window. */
export function isCommand(word: string | undefined): word is string {
  return word !== undefined && Object.hasOwn(commands, word)
}

/**
 * Runs a command line such as `['run', 'prompt', …]` and returns its exit code (commandHelp.ts). Never throws. Prints
 * results to standard output and errors to standard error.
 * @param overrides dependencies to replace in tests
 */
export async function runCommand(argv: readonly string[], overrides: Partial<CommandContext> = {}): Promise<number> {
  const [word, ...args] = argv
  const command = isCommand(word) ? commands[word] : undefined
  if (command === undefined) {
    console.error(word === undefined ? usage : `Unknown command "${word}".\n\n${usage}`)
    return exitCodes.usage
  }
  const userData = overrides.userData ?? userDataFolder()
  const logFile = openLogFile(userData)
  const output = overrides.output ?? createOutput(process.stdout)
  const { signal, release } =
    overrides.interrupted === undefined ? listenForSignals() : { signal: overrides.interrupted, release: () => {} }
  const interrupted = AbortSignal.any([signal, output.closed])
  try {
    if (args.length === 1 && (args[0] === '--help' || args[0] === '-h'))
      return print(output.line, commandUsage(word ?? ''))
    const warning = word?.startsWith('-') === true ? undefined : rootWarning()
    if (warning !== undefined) console.error(warning)
    const code = await command(args, {
      createCore,
      installation: overrides.installation ?? findInstallation(),
      userData,
      stdin: process.stdin,
      ...overrides,
      output,
      interrupted,
    })
    return code === exitCodes.cancelled ? cancelledCode(interrupted) : code
  } catch (error) {
    return reportFailure(error, interrupted, commandUsage(word ?? ''))
  } finally {
    release()
    await output.flush()
    await logFile.close()
  }
}

/** Makes the process print an unhandled error and exit with 1. For a process that runs one command. */
export function endOnUnhandledError(): void {
  const end = (error: unknown): void => {
    reportFailure(error, new AbortController().signal)
    process.exit(exitCodes.failed)
  }
  process.on('unhandledRejection', end)
  process.on('uncaughtException', end)
}

/** Prints an error and returns its exit code. @param help shown for an invalid command line */
function reportFailure(error: unknown, interrupted: AbortSignal, help = usage): number {
  if (interrupted.reason instanceof BrokenPipe) return exitCodes.cancelled
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${help}`)
    return exitCodes.usage
  }
  const failure = toFailure(error)
  if (failure.code === 'cancelled') return cancelledCode(interrupted)
  if (failure.code === 'internal') console.error('tizona:', error)
  else console.error(`${failure.message} ${failure.next}`.trim())
  return exitCodes.failed
}

/** Aborts `signal` at the first signal, which ends the turn and its commands. A second one exits immediately. */
function listenForSignals(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const onSignal = (name: (typeof endSignals)[number]): void => {
    if (controller.signal.aborted) process.exit(cancelledCode(controller.signal))
    controller.abort(new EndSignal(name))
  }
  for (const name of endSignals) process.on(name, onSignal)
  return {
    signal: controller.signal,
    release() {
      for (const name of endSignals) process.off(name, onSignal)
    },
  }
}

async function print(line: (text: string) => void, text: string): Promise<number> {
  line(text)
  return exitCodes.done
}
