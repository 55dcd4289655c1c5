import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { resolveVariables, type VariableContext } from '../base/configurationVariables.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { quoteWord } from '../base/quoteWord.ts'

export const tasksFilePath = '.vscode/tasks.json'

const commandText = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)])
const pattern = z.union([z.string(), z.object({ regexp: z.string() }).transform(({ regexp }) => regexp)])
const background = z.object({
  activeOnStart: z.boolean().default(false),
  beginsPattern: pattern.optional(),
  endsPattern: pattern.optional(),
})
const matcherSchema = z.object({ base: z.string().optional(), background: background.optional() })
const taskSchema = z.object({
  label: z.string().optional(),
  taskName: z.string().optional(),
  type: z.string().optional(),
  command: commandText.optional(),
  script: z.string().optional(),
  args: z.array(commandText).default([]),
  options: z.object({ cwd: z.string().optional(), env: z.record(z.string(), z.string()).optional() }).optional(),
  isBackground: z.boolean().default(false),
  problemMatcher: z.unknown().optional(),
  dependsOn: z.union([z.string(), z.array(z.string())]).optional(),
  dependsOrder: z.enum(['parallel', 'sequence']).default('parallel'),
  group: z
    .union([
      z.string(),
      z.object({ kind: z.string().optional(), isDefault: z.union([z.boolean(), z.string()]).optional() }),
    ])
    .optional(),
})

/** A task of tasks.json, with its variables as they are written. */
export type EditorTask = z.output<typeof taskSchema>

const tasksSchema = z.object({ tasks: z.array(z.unknown()).default([]), inputs: z.array(z.unknown()).default([]) })
const platforms: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: 'windows',
  darwin: 'osx',
  linux: 'linux',
}

/** Reads tasks.json, version 2.0.0. What is not a task is left out. */
export function readEditorTasks(text: string): { tasks: EditorTask[]; inputs: readonly unknown[] } {
  const { tasks, inputs } = tasksSchema.safeParse(parseLooseJson(text)).data ?? { tasks: [], inputs: [] }
  return { tasks: tasks.flatMap((each) => taskSchema.safeParse(forPlatform(each)).data ?? []), inputs }
}

/** Merges the part for this platform over a task. */
function forPlatform(task: unknown): unknown {
  const key = platforms[process.platform]
  if (key === undefined || typeof task !== 'object' || task === null || Array.isArray(task)) return task
  const part = new Map(Object.entries(task)).get(key)
  return typeof part === 'object' && part !== null ? { ...task, ...part } : task
}

/** The label of a task; without one, what it runs. */
export const editorTaskName = (task: EditorTask, manager: string): string =>
  task.label ?? task.taskName ?? lineOf(task, manager) ?? ''

/**
 * Returns the command line of a task of the types `shell`, `process` and `npm`. Undefined for other types, and for
 * tasks that only depend on others.
 * @throws ToolError invalid_arguments if a variable has no value
 */
export function commandOfEditorTask(task: EditorTask, variables: VariableContext, manager: string): string | undefined {
  const { type = 'shell', command, args, script, options } = task
  // The shell replaces unknown names such as ${HOME} in its command lines.
  const context = { ...variables, keepUnknown: type === 'shell' }
  const resolved = resolveVariables({ type, command, args, script, options }, context)
  const line = lineOf(resolved, manager)
  if (line === undefined) return undefined
  const exports = Object.entries(resolved.options?.env ?? {}).map(([name, value]) => {
    if (/^[A-Za-z_]\w*$/.test(name)) return `export ${name}=${quoteWord(value)}`
    throw new ToolError(
      'invalid_arguments',
      `"${name}" is not a valid environment variable name.`,
      'Correct .vscode/tasks.json.',
    )
  })
  const cwd = resolved.options?.cwd
  return [...(cwd === undefined ? [] : [`cd ${quoteWord(cwd)}`]), ...exports, line].join(' && ')
}

function lineOf(
  { type = 'shell', command, script, args }: Pick<EditorTask, 'type' | 'command' | 'script' | 'args'>,
  manager: string,
): string | undefined {
  if (type === 'npm') return script === undefined ? undefined : `${manager} run ${quoteWord(script)}`
  if (command === undefined) return undefined
  if (type === 'shell') return [command, ...args.map(quoteWord)].join(' ')
  return type === 'process' ? [command, ...args].map(quoteWord).join(' ') : undefined
}

/** Patterns in the output of a background task. */
export interface BackgroundPatterns {
  /** Whether the task works from the start, so that no line has to say so. */
  activeOnStart: boolean
  begins?: string
  ends: string
}

/** Patterns of the matchers that VS Code includes. */
const knownMatchers: Readonly<Record<string, BackgroundPatterns>> = {
  '$tsc-watch': {
    activeOnStart: false,
    begins: String.raw`^\s*(?:message TS6032:|\[?\D*.{1,2}[:.].{1,2}[:.].{1,2}\D*(?:\u251c\D*\d{1,2}\D+\u2524)?(?:\]| -)) (?:Starting compilation in watch mode\.\.\.|File change detected\. Starting incremental compilation\.\.\.)`,
    ends: String.raw`Found \d+ errors?\. Watching for file changes\.|Compilation complete\. Watching for file changes\.`,
  },
}

/** Returns the patterns of a background task; undefined if it has none, so that nobody knows when it is ready. */
export function backgroundPatterns({
  problemMatcher,
}: Pick<EditorTask, 'problemMatcher'>): BackgroundPatterns | undefined {
  for (const each of [problemMatcher].flat()) {
    if (typeof each === 'string' && Object.hasOwn(knownMatchers, each)) return knownMatchers[each]
    const { base, background: own } = matcherSchema.safeParse(each).data ?? {}
    const inherited = base !== undefined && Object.hasOwn(knownMatchers, base) ? knownMatchers[base] : undefined
    const begins = own?.beginsPattern ?? inherited?.begins
    const ends = own?.endsPattern ?? inherited?.ends
    if (ends === undefined) continue
    return {
      activeOnStart: own?.activeOnStart === true || begins === undefined,
      ...(begins !== undefined && { begins }),
      ends,
    }
  }
  return undefined
}
