import path from 'node:path'
import type { DebugChoice, DebugOwner } from '../../shared/debug/debug.ts'
import type { DebugTarget } from '../../shared/debug/debugRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Configuration, DebuggerDefinition } from './debuggerDefinition.ts'
import { debuggerOfFile, debuggerTable } from './debuggerTable.ts'
import type { StartOptions } from './startDebugger.ts'
import { createLaunchFile, type DebugTargetsDeps, type LaunchFile } from './launchFile.ts'
import { cargoPreparation } from './launchStart.ts'

/** Files in the root that name pytest if the project uses it. */
const pytestFiles = ['pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini', 'conftest.py', 'requirements.txt']

/** Finds out how to start what the user or a model wants to debug. */
export interface DebugTargets extends Pick<LaunchFile, 'inputs'> {
  /** Configurations and compounds of launch.json, with what is wrong with them. */
  choices(): Promise<{ choices: DebugChoice[]; problem?: string }>
  /**
   * Resolves a target to the sessions to start, in order.
   * @throws ToolError `not_found`, `invalid_arguments`
   */
  resolve(target: DebugTarget, owner: DebugOwner, signal: AbortSignal): Promise<StartOptions[]>
}

export function createDebugTargets(deps: DebugTargetsDeps): DebugTargets {
  const launchFile = createLaunchFile(deps)

  function derived(
    definition: DebuggerDefinition,
    name: string,
    configuration: Configuration,
    owner: DebugOwner,
  ): StartOptions {
    const replaced = replaceRoot({ type: definition.types[0], cwd: deps.root, ...configuration }, deps.root)
    const preparation = cargoPreparation(replaced, deps.root, deps)
    return {
      name,
      debugger: definition,
      request: 'launch',
      configuration: replaced,
      owner,
      ...(preparation && { preparation }),
    }
  }

  return {
    choices: launchFile.choices,
    inputs: launchFile.inputs,
    async resolve(target, owner) {
      switch (target.kind) {
        case 'configuration':
          return launchFile.resolve(target.name, target.inputs ?? {}, owner)
        case 'file': {
          const definition = debuggerOfFile(target.path)
          const { path: file, args } = target
          const configuration = definition.fileConfiguration?.(file) ?? { program: path.join(deps.root, file) }
          return [derived(definition, path.posix.basename(file), { ...configuration, ...(args && { args }) }, owner)]
        }
        case 'test': {
          const definition = debuggerOfFile(target.path)
          const read = async (file: string): Promise<string> => (await deps.readText(file)) ?? ''
          const facts = {
            packageJson: await read('package.json'),
            source: await read(target.path),
            pytestFiles: (await Promise.all(pytestFiles.map(read))).join('\n'),
          }
          const configuration = definition.testConfiguration?.(target.path, target.name, facts)
          if (configuration === undefined)
            throw new ToolError(
              'invalid_arguments',
              `Tizona does not recognize the test framework of ${target.path}.`,
              'Add a configuration for it to .vscode/launch.json.',
            )
          return [derived(definition, target.name, configuration, owner)]
        }
        case 'attach':
          return [attachOptions(target, owner)]
      }
    },
  }
}

/** Resolves a running program to its session. */
function attachOptions(target: Extract<DebugTarget, { kind: 'attach' }>, owner: DebugOwner): StartOptions {
  const definition = debuggerTable.find(({ id }) => id === target.debugger)
  if (definition === undefined) throw new ToolError('not_found', `There is no debugger "${target.debugger}".`)
  const { processId, port } = target
  if (processId === undefined && port === undefined)
    throw new ToolError(
      'invalid_arguments',
      'There is no process or port to attach to.',
      'Enter a process ID or a port.',
    )
  const attach = definition.attach(port === undefined ? { processId: processId ?? 0 } : { port })
  if (attach === undefined)
    throw new ToolError('invalid_arguments', `${definition.title} cannot attach to a port.`, 'Enter a process ID.')
  const { prepare } = attach
  const configuration = { type: definition.types[0], ...attach.attributes }
  return {
    name: port === undefined ? `Process ${processId}` : `Port ${port}`,
    debugger: definition,
    request: 'attach',
    configuration,
    ...(attach.connects && port !== undefined && { port }),
    ...(prepare && {
      preparation: {
        commands: [],
        before: async (signal) => ({ ...configuration, ...(await prepare(signal)) }),
      },
    }),
    owner,
    access: 'outside',
  }
}

/** Replaces `${workspaceFolder}` in the strings of a derived configuration. */
function replaceRoot(value: Configuration, root: string): Configuration {
  const replace = (each: unknown): unknown =>
    typeof each === 'string'
      ? each.replaceAll('${workspaceFolder}', () => root)
      : Array.isArray(each)
        ? each.map(replace)
        : each
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replace(each)]))
}
