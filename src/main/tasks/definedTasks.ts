import { z } from 'zod'
import type { Task } from '../../shared/commands/tasks.ts'
import { hasHiddenInCommand } from '../../shared/text/visibleText.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { quoteWord } from '../base/quoteWord.ts'
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

/** Lists the tasks defined in the files. A file that cannot be parsed defines none. */
export function definedTasks(files: TaskFiles, rootEntries: readonly string[], root: string): Task[] {
  return taskFilePaths.flatMap((source) => {
    const text = files.get(source)
    if (text === undefined) return []
    return commandsIn(source, text, rootEntries, root)
      .filter(({ command }) => isTypeable(command))
      .slice(0, maxTasks)
      .map((task) => ({ ...task, source }))
  })
}

function commandsIn(
  source: (typeof taskFilePaths)[number],
  text: string,
  rootEntries: readonly string[],
  root: string,
): Omit<Task, 'source'>[] {
  switch (source) {
    case 'package.json':
      return scripts(text, packageManager(rootEntries))
    case '.vscode/tasks.json':
      return editorTasks(text, root, packageManager(rootEntries))
    case 'justfile':
      return justRecipes(text)
    case 'Cargo.toml':
      return ['build', 'check', 'clippy', 'run', 'test'].map((name) => ({ name, command: `cargo ${name}` }))
    default:
      return makeTargets(text)
  }
}

/** In a command line for a terminal, control characters would act as keys, and the list does not show them. */
const isTypeable = (command: string): boolean =>
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

const commandText = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)])
const taskSchema = z.object({
  label: z.string().optional(),
  taskName: z.string().optional(),
  type: z.string().default('shell'),
  command: commandText.optional(),
  script: z.string().optional(),
  args: z.array(commandText).default([]),
  options: z.object({ cwd: z.string().optional() }).optional(),
})
const tasksSchema = z.object({ tasks: z.array(z.unknown()).default([]) })

/**
 * Tasks of the types `shell`, `process` and `npm`, as documented for version 2.0.0 of tasks.json. Only supports the
 * variable `${workspaceFolder}`; tasks with others are left out.
 */
function editorTasks(text: string, root: string, manager: string): Omit<Task, 'source'>[] {
  const { tasks } = tasksSchema.safeParse(parseLooseJson(text)).data ?? { tasks: [] }
  return tasks.flatMap((value) => {
    const task = taskSchema.safeParse(value).data
    const line = task && editorTaskLine(task, manager)
    if (!task || line === undefined) return []
    const name = task.label ?? task.taskName ?? line
    const cwd = task.options?.cwd
    const whole = cwd === undefined ? line : `cd ${quoteWord(cwd)} && ${line}`
    const command = whole.replaceAll(/\$\{workspace(?:Folder|Root)\}/g, () => root)
    return command.includes('${') ? [] : [{ name, command }]
  })
}

function editorTaskLine(
  { type, command, script, args }: z.infer<typeof taskSchema>,
  manager: string,
): string | undefined {
  if (type === 'npm') return script === undefined ? undefined : `${manager} run ${quoteWord(script)}`
  if (command === undefined) return undefined
  if (type === 'shell') return [command, ...args.map(quoteWord)].join(' ')
  return type === 'process' ? [command, ...args].map(quoteWord).join(' ') : undefined
}
