import type { DebugChoice, DebugInput, DebugOwner } from '../../shared/debug/debug.ts'
import { ToolError } from '../../shared/errors.ts'
import type { VariableContext } from '../base/configurationVariables.ts'
import type { StartOptions } from './startDebugger.ts'
import { issueText, launchFilePath, parseLaunchFile, type LaunchContents, type LaunchEntry } from './launchEntries.ts'
import { asDebugInput, inputIds, pickInputs, valueOfAnswer } from './launchInputs.ts'
import { configurationSchema, type LaunchConfiguration, type LaunchInput } from './launchSchema.ts'
import { prepareLaunch, withTaskBefore, type LaunchDeps } from './launchStart.ts'

export interface DebugTargetsDeps extends LaunchDeps {
  /** Real path of the workspace. */
  root: string
  /** Values of variables. */
  variables(inputs: Readonly<Record<string, string>>): Promise<VariableContext>
}

export interface LaunchFile {
  choices(): Promise<{ choices: DebugChoice[]; problem?: string }>
  /** The inputs of a configuration that need answers. */
  inputs(name: string): Promise<DebugInput[]>
  /**
   * Resolves a configuration, or those of a compound. Runs nothing. @throws ToolError `not_found`, `invalid_arguments`
   * @param answers texts for `${input:…}`, by id
   */
  resolve(name: string, answers: Readonly<Record<string, string>>, owner: DebugOwner): Promise<StartOptions[]>
}

const platforms: Readonly<Partial<Record<NodeJS.Platform, 'windows' | 'osx' | 'linux'>>> = {
  win32: 'windows',
  darwin: 'osx',
  linux: 'linux',
}

/** Reads the configurations of `.vscode/launch.json`. */
export function createLaunchFile(deps: DebugTargetsDeps): LaunchFile {
  async function read(): Promise<LaunchContents> {
    const text = await deps.readText(launchFilePath)
    return text === null ? { entries: [], inputs: [] } : parseLaunchFile(text)
  }

  async function find(
    name: string,
  ): Promise<{ members: LaunchConfiguration[]; entry: LaunchEntry; contents: LaunchContents }> {
    const contents = await read()
    const entry = contents.entries.find((each) => each.name === name)
    if (entry === undefined)
      throw new ToolError(
        'not_found',
        contents.problem ?? `${launchFilePath} has no configuration "${name}".`,
        contents.problem === undefined ? 'Choose another one.' : 'Correct the file.',
      )
    if (entry.problem !== undefined)
      throw new ToolError('invalid_arguments', entry.problem, `Correct ${launchFilePath}.`)
    const names = entry.compound?.configurations ?? [name]
    const members = names.flatMap(
      (each) => contents.entries.find((other) => other.name === each && other.configuration)?.configuration ?? [],
    )
    return { members: members.map(forPlatform), entry, contents }
  }

  /** Inputs that the configurations and their tasks need. */
  async function neededInputs(name: string): Promise<LaunchInput[]> {
    const { members, entry, contents } = await find(name)
    const own = inputIds(members)
    const found = pickInputs(contents.inputs, own, launchFilePath)
    const tasks = [
      entry.compound?.preLaunchTask,
      ...members.flatMap(({ preLaunchTask, postDebugTask }) => [preLaunchTask, postDebugTask]),
    ]
    for (const task of new Set(tasks.flatMap((each) => each ?? []))) {
      const { needed, inputs } = await deps.tasks.inputs(task)
      const missing = needed.filter((id) => !found.has(id))
      for (const [id, input] of pickInputs(inputs, missing, '.vscode/tasks.json')) found.set(id, input)
    }
    return [...found.values()]
  }

  async function variables(name: string, answers: Readonly<Record<string, string>>): Promise<VariableContext> {
    const inputs: Record<string, string> = {}
    for (const input of await neededInputs(name)) {
      const answer = Object.hasOwn(answers, input.id) ? answers[input.id] : input.default
      if (answer !== undefined) inputs[input.id] = valueOfAnswer(input, answer)
    }
    return deps.variables(inputs)
  }

  return {
    async choices() {
      const { entries, problem } = await read()
      return {
        choices: entries.map(({ name, compound, problem: wrong }) => ({
          name,
          kind: compound ? 'compound' : 'configuration',
          ...(wrong !== undefined && { problem: wrong }),
        })),
        ...(problem !== undefined && { problem }),
      }
    },
    async inputs(name) {
      return (await neededInputs(name)).map(asDebugInput)
    },
    async resolve(name, answers, owner) {
      const { members, entry } = await find(name)
      const context = await variables(name, answers)
      const { compound } = entry
      const launches: StartOptions[] = []
      for (const each of members) launches.push(await prepareLaunch(each, context, owner, deps))
      if (compound === undefined) return launches
      const task =
        compound.preLaunchTask === undefined ? undefined : await deps.tasks.plan(compound.preLaunchTask, context)
      const all = task === undefined ? launches : withTaskBefore(launches, task)
      const group = compound.stopAll ? { stopsWith: Symbol(compound.name) } : {}
      return all.map((each) => ({ ...each, ...group }))
    },
  }
}

/** Merges the part for this platform over a configuration. */
function forPlatform(configuration: LaunchConfiguration): LaunchConfiguration {
  const key = platforms[process.platform]
  const { windows: _windows, osx: _osx, linux: _linux, ...common } = configuration
  const part = key === undefined ? undefined : configuration[key]
  if (part === undefined) return common
  // Only attributes change. The result is checked again, because the part can have other types.
  const { name, type } = common
  const merged = configurationSchema.safeParse({ ...common, ...part, name, type })
  if (merged.success) return merged.data
  throw new ToolError(
    'invalid_arguments',
    `"${key}" in the configuration "${name}" is not valid. ${issueText(merged.error)}`,
    `Correct ${launchFilePath}.`,
  )
}
