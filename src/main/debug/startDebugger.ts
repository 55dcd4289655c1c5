import { folderPaths } from '../base/workspaceRoots.ts'
import type { CommandAccess } from '../../shared/commands/sandbox.ts'
import type { DebugOwner } from '../../shared/debug/debug.ts'
import { ToolError } from '../../shared/errors.ts'
import { quoteWord } from '../base/quoteWord.ts'
import { installCommandOf } from '../base/systemPackage.ts'
import type { StartPipedProgram, StartTerminalProgram } from '../command/commandTypes.ts'
import { connectToPort, startAdapter, type AdapterInvocation, type AdapterProcess } from './adapterProcess.ts'
import type { Configuration, DebuggerDefinition, FoundDebugger } from './debuggerDefinition.ts'
import { wantsTerminal } from './launchAttributes.ts'
import { findDebugger, type FindDebuggerDeps, type MissingDebugger } from './findDebugger.ts'
import type { OwnBreakpoints } from './sessionBreakpoints.ts'
import { startTerminalAdapter } from './terminalAdapter.ts'

export interface DebuggerDeps extends Omit<FindDebuggerDeps, 'startProgram'> {
  startProgram: StartPipedProgram
  startInTerminal: StartTerminalProgram
}

/** What runs before and after a session, e.g. a build. */
export interface Preparation {
  /** Command lines of all of it, as the approval rules see them. */
  commands: readonly string[]
  /** Runs first. @returns the attributes, with what was built. @throws ToolError with the output */
  before(signal: AbortSignal): Promise<Configuration>
  /** Runs when the session has ended. */
  after?(): Promise<void>
}

export interface StartOptions {
  name: string
  debugger: DebuggerDefinition
  request: 'launch' | 'attach'
  /** Attributes with all variables resolved. */
  configuration: Configuration
  owner: DebugOwner
  /** Real path of the adapter's working directory. Default: the workspace. */
  cwd?: string
  env?: Readonly<Record<string, string>>
  /** Default: `sandbox`. */
  access?: CommandAccess
  /** Port of a running debugger to connect to, instead of starting one. */
  port?: number
  preparation?: Preparation
  /** The end of one session ends all others with the same symbol. */
  stopsWith?: symbol
  /** Breakpoints of this session and its children, instead of those of the folder. */
  own?: OwnBreakpoints
  /** The conversation whose model started it. */
  conversationId?: string | undefined
}

/** Finds debuggers on this machine, and starts them. */
export interface Debuggers {
  find(definition: DebuggerDefinition): Promise<FoundDebugger | MissingDebugger>
  /** Makes `find` look for debuggers again. */
  forget(): void
  /**
   * Runs what comes before the session, and starts the debugger.
   * @returns it, with the arguments of the request
   */
  start(options: StartOptions, signal: AbortSignal): Promise<{ adapter: AdapterProcess; args: object }>
}

export function createDebuggers(deps: DebuggerDeps): Debuggers {
  /** Debuggers by id. Looking for a Python that has debugpy starts programs. */
  const known = new Map<string, FoundDebugger>()

  async function find(definition: DebuggerDefinition): Promise<FoundDebugger | MissingDebugger> {
    const found = known.get(definition.id) ?? (await findDebugger(definition, deps))
    if (!('missing' in found)) known.set(definition.id, found)
    return found
  }

  async function startDebugger(
    options: StartOptions,
    signal: AbortSignal,
  ): Promise<{ adapter: AdapterProcess; args: object }> {
    const { debugger: definition, request, name, port } = options
    if (port !== undefined)
      return { adapter: await connectToPort(definition.title, port), args: { ...options.configuration, request, name } }
    const found = await find(definition)
    if ('missing' in found)
      throw new ToolError(
        'not_found',
        `${definition.title} was not found: ${found.missing}`,
        installHint(definition, found),
      )
    const configuration = (await options.preparation?.before(signal)) ?? options.configuration
    return startFound(options, found, configuration, signal)
  }

  async function startFound(
    options: StartOptions,
    found: FoundDebugger,
    configuration: Configuration,
    signal: AbortSignal,
  ): Promise<{ adapter: AdapterProcess; args: object }> {
    const { debugger: definition, request, name } = options
    const invocation: AdapterInvocation = {
      title: definition.title,
      program: found.program,
      args: (socket) => [...found.args, ...definition.args(socket)],
      transport: definition.transport,
      cwd: options.cwd ?? folderPaths(deps.workspace)[0] ?? deps.workspace.root,
      ...(options.env && { env: options.env }),
      readable: found.folder === undefined ? [] : [found.folder],
      access: options.access ?? 'sandbox',
    }
    const args = definition.adapterArguments({ ...configuration, request, name }, found)
    if (hasTerminal(options, configuration)) {
      const title = definition.command(configuration).map(quoteWord).join(' ')
      const adapter = await startTerminalAdapter(invocation, title, deps.startInTerminal, signal)
      return { adapter, args: { ...args, ...definition.inTerminal } }
    }
    return { adapter: await startAdapter(invocation, deps.startProgram, signal), args }
  }

  return { find, forget: () => known.clear(), start: startDebugger }
}

/** Returns what to do about a debugger that cannot be used. */
function installHint({ installCommand }: DebuggerDefinition, { isInstalled, fix }: MissingDebugger): string {
  if (fix !== undefined) return fix
  if (isInstalled) return 'Install a version that can be used, or choose another debugger.'
  const command = installCommandOf(installCommand)
  return command === undefined ? 'Install it, so that it is on PATH.' : `Install it with: ${command}`
}

/** Whether the program runs in a terminal. Only the user can type into it, and Windows lacks what this needs. */
const hasTerminal = (
  { debugger: { inTerminal }, owner, request, access = 'sandbox' }: StartOptions,
  configuration: Configuration,
): boolean =>
  wantsTerminal(configuration) &&
  inTerminal !== undefined &&
  owner === 'user' &&
  request === 'launch' &&
  access === 'sandbox' &&
  process.platform !== 'win32'
