import { z } from 'zod'
import type { Task } from '../../shared/commands/tasks.ts'
import { ToolError } from '../../shared/errors.ts'
import { hasHiddenInCommand } from '../../shared/text/visibleText.ts'
import type { VariableContext } from '../base/configurationVariables.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { quoteWord } from '../base/quoteWord.ts'
import { commandOfEditorTask, editorTaskName, readEditorTasks } from './editorTasks.ts'
import { packageManager } from './projectFile.ts'

/** Text of the files that define tasks, by path relative to the folder. */
export type TaskFiles = ReadonlyMap<string, string>

/** Files that define tasks, in list order. */
export const taskFilePaths = [
  'package.json',
  '.vscode/tasks.json',
  'Makefile',
  'makefile',
  'GNUmakefile',
  'justfile',
  'Cargo.toml',
] as const

/** Maximum tasks per file. */
const maxTasks = 500

/**
 * Lists the tasks defined in the files. A file that cannot be parsed defines none.
 * @param variables for tasks.json. A task whose variables have no value is left out.
 */
export function definedTasks(files: TaskFiles, rootEntries: readonly string[], variables: VariableContext): Task[] {
  return taskFilePaths.flatMap((source) => {
    const text = files.get(source)
    if (text === undefined) return []
    return commandsIn(source, text, rootEntries, variables)
      .filter(({ command }) => isTypeable(command))
      .slice(0, maxTasks)
      .map((task) => ({ ...task, source }))
  })
}

function commandsIn(
  source: (typeof taskFilePaths)[number],
  text: string,
  rootEntries: readonly string[],
  variables: VariableContext,
): Omit<Task, 'source'>[] {
  switch (source) {
    case 'package.json':
      return scripts(text, packageManager(rootEntries))
    case '.vscode/tasks.json':
      return editorTasks(text, variables, packageManager(rootEntries))
    case 'justfile':
      return justRecipes(text)
    case 'Cargo.toml':
      return ['build', 'check', 'clippy', 'run', 'test'].map((name) => ({ name, command: `cargo ${name}` }))
    default:
      return makeTargets(text)
  }
}

/** In a command line for a terminal, control characters would act as keys, and the list does not show them. */
export const isTypeable = (command: string): boolean =>
  !/\p{Cc}/u.test(command) && !hasHiddenInCommand(command) && command.trim() !== ''

const packageSchema = z.object({ scripts: z.record(z.string(), z.unknown()).optional() })

function scripts(text: string, manager: string): Omit<Task, 'source'>[] {
  const names = Object.keys(packageSchema.safeParse(parseLooseJson(text)).data?.scripts ?? {})
  return names.map((name) => ({ name, command: `${manager} run ${quoteWord(name)}` }))
}

/** Targets of rules without patterns and variables. Names that start with a dot are directives. */
function makeTargets(text: string): Omit<Task, 'source'>[] {
  const names = new Set<string>()
  for (const line of text.split('\n')) {
    const [, name, next] = /^([A-Za-z0-9_][\w./-]*)[ \t]*:(.?)/.exec(line) ?? []
    // `:=` and `::=` assign a variable, and `::` has several rules.
    if (name !== undefined && next !== '=' && next !== ':') names.add(name)
  }
  return [...names].map((name) => ({ name, command: `make ${quoteWord(name)}` }))
}

/** Recipes without required parameters. Private ones start with `_`. */
function justRecipes(text: string): Omit<Task, 'source'>[] {
  const names = new Set<string>()
  for (const line of text.split('\n')) {
    const [, name, next] = /^@?([A-Za-z][\w-]*)[ \t]*:(.?)/.exec(line) ?? []
    if (name !== undefined && next !== '=') names.add(name)
  }
  return [...names].map((name) => ({ name, command: `just ${quoteWord(name)}` }))
}

function editorTasks(text: string, variables: VariableContext, manager: string): Omit<Task, 'source'>[] {
  return readEditorTasks(text).tasks.flatMap((task) => {
    try {
      const command = commandOfEditorTask(task, variables, manager)
      return command === undefined ? [] : [{ name: editorTaskName(task, manager), command }]
    } catch (error) {
      if (error instanceof ToolError) return []
      throw error
    }
  })
}
