import path from 'node:path'
import type { DebugOwner } from '../../shared/debug/debug.ts'
import { ToolError } from '../../shared/errors.ts'
import { resolveVariables, type VariableContext } from '../base/configurationVariables.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import { buildWithCargo, cargoArguments, cargoSchema } from './cargoBuild.ts'
import type { Configuration, AttachMethod, DebuggerDefinition } from './debuggerDefinition.ts'
import { debuggerOfType } from './debuggerTable.ts'
import type { Preparation, StartOptions } from './startDebugger.ts'
import { parseEnvironmentFile } from './environmentFile.ts'
import { launchFilePath, unknownType } from './launchEntries.ts'
import type { LaunchConfiguration } from './launchSchema.ts'
import { splitWords } from './splitWords.ts'

/** A task with everything that it depends on, ready to run. */
export interface LaunchTask {
  /** Command lines, as the approval rules see them. */
  commands: readonly string[]
  /**
   * Runs it to the end, or until it is ready in the background, where it runs until the user ends it. One that still runs is
   * not started again. @throws ToolError that names the task
   */
  run(signal: AbortSignal): Promise<void>
}

/** Tasks of the folder, for `preLaunchTask` and `postDebugTask`. */
export interface LaunchTasks {
  /** Values of the `inputs` in tasks.json that a task needs. @throws ToolError not_found */
  inputs(name: string): Promise<{ needed: readonly string[]; inputs: readonly unknown[] }>
  /** @throws ToolError `not_found`, `invalid_arguments` */
  plan(name: string, variables: VariableContext): Promise<LaunchTask>
}

export interface LaunchDeps {
  /** Reads a small file of the workspace; null if it is missing. @throws ToolError outside_workspace */
  readText(file: string): Promise<string | null>
  /** Real path of a folder of the workspace. @throws ToolError `outside_workspace`, `not_found` */
  resolveFolder(folder: string): Promise<string>
  /** Whether the content of a file is kept from commands. */
  isSecret(file: string): Promise<boolean>
  tasks: LaunchTasks
  startProgram: StartPipedProgram
}

/** Attributes that are used up here, or that have no meaning in Tizona. */
const ownAttributes = new Set([
  'preLaunchTask',
  'postDebugTask',
  'envFile',
  'presentation',
  'serverReadyAction',
  'internalConsoleOptions',
  'debugServer',
])
async function environmentOf(
  configuration: Pick<LaunchConfiguration, 'env' | 'envFile'>,
  owner: DebugOwner,
  deps: LaunchDeps,
): Promise<Record<string, unknown>> {
  const environment: Record<string, unknown> = {}
  for (const file of [configuration.envFile ?? []].flat())
    Object.assign(environment, parseEnvironmentFile(await readEnvironmentFile(file, owner, deps)))
  for (const [key, value] of Object.entries(configuration.env ?? {})) {
    if (value === null) delete environment[key]
    else environment[key] = String(value)
  }
  return environment
}

async function readEnvironmentFile(file: string, owner: DebugOwner, deps: LaunchDeps): Promise<string> {
  // Commands of the agent do not get the values of such a file either.
  if (owner === 'agent' && (await deps.isSecret(file)))
    throw new ToolError(
      'refused',
      `The envFile ${file} is a secret file, so programs that the agent starts cannot use it.`,
      'Ask the user to start the configuration.',
    )
  const text = await deps.readText(file)
  if (text !== null) return text
  throw new ToolError(
    'not_found',
    `The envFile ${file} does not exist or cannot be read.`,
    `Correct ${launchFilePath}.`,
  )
}

/** Resolves a configuration. Runs nothing. @throws ToolError `not_found`, `invalid_arguments`, `refused` */
export async function prepareLaunch(
  written: LaunchConfiguration,
  context: VariableContext,
  owner: DebugOwner,
  deps: LaunchDeps,
): Promise<StartOptions> {
  // Names of tasks are no texts with variables, but `${defaultBuildTask}` is one.
  const { preLaunchTask, postDebugTask, ...texts } = written
  const configuration = resolveVariables(texts, context)
  const definition = debuggerOfType(configuration.type)
  // Entries with unknown types have a problem, so they are not resolved.
  if (definition === undefined) throw new ToolError('invalid_arguments', unknownType(configuration.type), '')
  const environment = await environmentOf(configuration, owner, deps)
  const attributes: Record<string, unknown> = Object.fromEntries(
    Object.entries(configuration).filter(([key]) => !ownAttributes.has(key)),
  )
  if (Object.keys(environment).length > 0 || configuration.env) attributes['env'] = environment
  if (typeof configuration.args === 'string') attributes['args'] = splitWords(configuration.args)
  if (configuration.request === 'launch') attributes['cwd'] ??= context.root
  const attach = configuration.request === 'attach' ? attachOf(configuration, definition, owner) : undefined
  if (attach) {
    for (const key of Object.keys(attributes)) if (!attachAttributes.has(key)) delete attributes[key]
    Object.assign(attributes, attach.attributes)
  }
  const before = preLaunchTask === undefined ? undefined : await deps.tasks.plan(preLaunchTask, context)
  const after = postDebugTask === undefined ? undefined : await deps.tasks.plan(postDebugTask, context)
  const cargo = cargoStep(configuration, context.root, deps)
  const steps = [...(before ? [before] : []), ...(cargo ? [cargo] : [])]
  const preparation: Preparation | undefined =
    steps.length > 0 || after || attach?.prepare
      ? {
          commands: [...steps, ...(after ? [after] : [])].flatMap(({ commands }) => commands),
          async before(signal) {
            await before?.run(signal)
            const program = await cargo?.run(signal)
            const prepared = await attach?.prepare?.(signal)
            return { ...attributes, ...(program !== undefined && { program, cargo: undefined }), ...prepared }
          },
          ...(after && { after: () => after.run(new AbortController().signal) }),
        }
      : undefined
  return {
    name: configuration.name,
    debugger: definition,
    request: configuration.request,
    configuration: attributes,
    owner,
    ...(configuration.request === 'attach' && { access: 'outside' as const }),
    ...(attach?.port !== undefined && { port: attach.port }),
    ...(preparation && { preparation }),
  }
}

/**
 * Attributes of a configuration that attaches. Others, such as commands of LLDB, could run programs, and the debugger is
 * outside the sandbox.
 */
const attachAttributes = new Set(
  (
    'name type request cwd program stopOnEntry sourceMap substitutePath stackTraceDepth ' +
    'justMyCode pathMappings localRoot remoteRoot django jinja showReturnValue ' +
    'sourceMaps outFiles skipFiles smartStep resolveSourceMapLocations sourceMapPathOverrides'
  ).split(' '),
)

/**
 * How to attach to what a configuration names.
 * @throws ToolError `refused`, `invalid_arguments`
 */
function attachOf(
  { connect, host, port, processId, pid, name }: Configuration,
  definition: DebuggerDefinition,
  owner: DebugOwner,
): AttachMethod & { port?: number } {
  if (owner === 'agent')
    throw new ToolError(
      'refused',
      'Debuggers attach outside the sandbox, which only the user can start.',
      'Ask the user to start the configuration.',
    )
  const nested = (typeof connect === 'object' && connect !== null ? connect : {}) as { host?: unknown; port?: unknown }
  const place = numberOf(nested.port ?? port)
  const process = numberOf(processId ?? pid)
  if (place === undefined && process === undefined)
    throw new ToolError(
      'invalid_arguments',
      `The configuration "${String(name)}" has neither a port nor a process ID to attach to.`,
      `Add "port" or "processId" to it in ${launchFilePath}.`,
    )
  const method = definition.attach(place === undefined ? { processId: process ?? 0 } : { port: place })
  if (method === undefined)
    throw new ToolError(
      'invalid_arguments',
      `${definition.title} cannot attach to a port.`,
      `Correct ${launchFilePath}.`,
    )
  const given = nested.host ?? host
  const machine = typeof given === 'string' ? given : 'localhost'
  if (place !== undefined && !['localhost', '127.0.0.1', '::1'].includes(machine))
    throw new ToolError(
      'invalid_arguments',
      `${String(name)}: Tizona attaches only to programs on this machine, not on ${machine}.`,
      'Forward the port to this machine, for example with ssh -L.',
    )
  return { ...method, ...(method.connects && place !== undefined && { port: place }) }
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value
  return typeof number === 'number' && Number.isInteger(number) && number > 0 ? number : undefined
}

/** Builds the program of a derived configuration, if Cargo does that. */
export function cargoPreparation(
  configuration: Configuration,
  root: string,
  deps: LaunchDeps,
): Preparation | undefined {
  const { cwd, cargo } = configuration
  const step = cargoStep({ cargo, cwd: typeof cwd === 'string' ? cwd : undefined }, root, deps)
  if (step === undefined) return undefined
  return {
    commands: step.commands,
    before: async (signal) => ({ ...configuration, program: await step.run(signal), cargo: undefined }),
  }
}

function cargoStep(
  { cargo, cwd }: { cargo?: unknown; cwd?: string | undefined },
  root: string,
  deps: LaunchDeps,
): { commands: readonly string[]; run(signal: AbortSignal): Promise<string> } | undefined {
  if (cargo === undefined) return undefined
  const list = Array.isArray(cargo) ? { args: cargo } : cargo
  const build = cargoSchema.safeParse(list).data
  if (!build)
    throw new ToolError('invalid_arguments', '"cargo" needs "args", an array of strings.', `Correct ${launchFilePath}.`)
  return {
    commands: [`cargo ${cargoArguments(build).join(' ')}`],
    async run(signal) {
      const folder = await deps.resolveFolder(path.resolve(root, build.cwd ?? cwd ?? '.'))
      return buildWithCargo(build, { cwd: folder, startProgram: deps.startProgram }, signal)
    },
  }
}

/** Runs a task of the compound before its first configuration. */
export function withTaskBefore(launches: readonly StartOptions[], task: LaunchTask): StartOptions[] {
  return launches.map((launch, index) => {
    const { preparation, configuration } = launch
    if (index > 0) return launch
    return {
      ...launch,
      preparation: {
        ...preparation,
        commands: [...task.commands, ...(preparation?.commands ?? [])],
        async before(signal) {
          await task.run(signal)
          return (await preparation?.before(signal)) ?? configuration
        },
      },
    }
  })
}
