import { ToolError } from '../../shared/errors.ts'
import { variablesIn, type VariableContext } from '../base/configurationVariables.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { quoteWord } from '../base/quoteWord.ts'
import { isTypeable } from './definedTasks.ts'
import {
  backgroundPatterns,
  commandOfEditorTask,
  editorTaskName,
  readEditorTasks,
  tasksFilePath,
  type BackgroundPatterns,
  type EditorTask,
} from './editorTasks.ts'

/** A task to run, with those that it depends on. */
export interface TaskPlan {
  name: string
  /** Tasks that run first. */
  before: readonly TaskPlan[]
  /** Whether they run one after the other. */
  inSequence: boolean
  /** Absent if the task only runs others. */
  command?: string
  /** For a task that keeps running. */
  background?: BackgroundPatterns
}

/** What defines the tasks of a folder. */
export interface TaskSources {
  /** Text of tasks.json; '' without one. */
  tasks: string
  /** Text of package.json; '' without one. */
  packageJson: string
  manager: string
}

const maxDepth = 10
const maxTasks = 100

/** Default build task, as the value of `preLaunchTask`. */
const defaultBuildTask = '${defaultBuildTask}'

/**
 * Finds a task of tasks.json by its label, or a script of package.json as `npm: name`, with everything that it depends
 * on. @throws ToolError `not_found`, `invalid_arguments`
 */
export function planTask(name: string, sources: TaskSources, variables: VariableContext): TaskPlan {
  const { tasks } = readEditorTasks(sources.tasks)
  let count = 0
  const plan = (wanted: string, above: readonly string[]): TaskPlan => {
    if (above.includes(wanted))
      throw invalid(`The task "${wanted}" depends on itself: ${[...above, wanted].join(' → ')}.`)
    if (above.length >= maxDepth || ++count > maxTasks)
      throw invalid(`The task "${name}" depends on too many other tasks.`)
    const task = findTask(wanted, tasks, sources)
    const before = [task.dependsOn ?? []].flat().map((each) => plan(each, [...above, wanted]))
    const command = commandOfEditorTask(task, variables, sources.manager)
    if (command === undefined && before.length === 0)
      throw invalid(
        `The task "${wanted}" cannot run: it has no command, or the type "${task.type ?? 'shell'}" is not supported.`,
      )
    if (command !== undefined && !isTypeable(command))
      throw invalid(`The command of the task "${wanted}" contains invisible characters.`)
    const background = task.isBackground ? backgroundPatterns(task) : undefined
    if (task.isBackground && background === undefined)
      throw new ToolError(
        'invalid_arguments',
        `The task "${wanted}" runs in the background, and nothing signals when it is ready.`,
        `Add a problemMatcher with background.endsPattern to it in ${tasksFilePath}.`,
      )
    return {
      name: wanted,
      before,
      inSequence: task.dependsOrder === 'sequence',
      ...(command !== undefined && { command }),
      ...(background && { background }),
    }
  }
  return plan(name, [])
}

/** Ids of the inputs that a task and its dependencies use, and the inputs of tasks.json. */
export function inputsOfTask(name: string, sources: TaskSources): { needed: string[]; inputs: readonly unknown[] } {
  const { tasks, inputs } = readEditorTasks(sources.tasks)
  const needed = new Set<string>()
  const visited = new Set<string>()
  const visit = (wanted: string): void => {
    if (visited.has(wanted) || visited.size > maxTasks) return
    visited.add(wanted)
    const task = findTask(wanted, tasks, sources)
    for (const each of variablesIn(task)) if (each.startsWith('input:')) needed.add(each.slice('input:'.length))
    for (const each of [task.dependsOn ?? []].flat()) visit(each)
  }
  visit(name)
  return { needed: [...needed], inputs }
}

/** Command lines of a plan, in the order in which they start. */
export function commandsOfPlan({ before, command }: TaskPlan): string[] {
  return [...before.flatMap(commandsOfPlan), ...(command === undefined ? [] : [command])]
}

function findTask(name: string, tasks: readonly EditorTask[], sources: TaskSources): EditorTask {
  const found =
    name === defaultBuildTask
      ? tasks.find(isDefaultBuild)
      : tasks.find((task) => editorTaskName(task, sources.manager) === name)
  if (found) return found
  const script = /^(?:npm|pnpm|yarn|bun): (\S+)$/.exec(name)?.[1]
  if (script !== undefined && scriptsIn(sources.packageJson).includes(script)) return scriptTask(script)
  const known = tasks.map((task) => editorTaskName(task, sources.manager)).slice(0, 20)
  let message = `There is no task "${name}".`
  if (name === defaultBuildTask) message = `${tasksFilePath} has no default build task.`
  else if (/^\w+: /.test(name))
    message = `There is no task "${name}". Tizona does not support tasks from VS Code extensions.`
  throw new ToolError(
    'not_found',
    message,
    known.length > 0 ? `Tasks in ${tasksFilePath}: ${known.map(quoteWord).join(', ')}.` : `Add it to ${tasksFilePath}.`,
  )
}

const isDefaultBuild = ({ group }: EditorTask): boolean =>
  typeof group === 'object' && group.kind === 'build' && group.isDefault !== undefined && group.isDefault !== false

function scriptsIn(packageJson: string): string[] {
  const value = parseLooseJson(packageJson)
  const scripts = typeof value === 'object' && value !== null && 'scripts' in value ? value.scripts : undefined
  return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
}

const scriptTask = (script: string): EditorTask => ({
  type: 'npm',
  script,
  args: [],
  isBackground: false,
  problemMatcher: undefined,
  dependsOrder: 'parallel',
})

const invalid = (message: string): ToolError => new ToolError('invalid_arguments', message, `Correct ${tasksFilePath}.`)
