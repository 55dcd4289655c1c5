import { randomUUID } from 'node:crypto'
import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { ChatMessage, ModelEvent } from '../../model/modelClient.ts'
import type { Act, DebugStep, Step } from './acts.ts'
import { answerFromText } from './answerFromText.ts'
import { changeLine, maxExcerpt, textOf } from './changeLine.ts'
import { chooseAct, isNote, isTalk, needsDebugger, type ChoiceDeps } from './choose.ts'
import { candidateLines, chooseLine } from './chooseLine.ts'
import { namesFile, type GuidedFolder } from './guidedFolder.ts'
import type { GuidedModel, WriteOptions } from './guidedModel.ts'
import { actPrompt, stepSchema } from './questions.ts'
import { firstCallOf, type GuidedCall, type ToolsetCalls } from './toolsetCalls.ts'

export interface GuidedTurnDeps extends ChoiceDeps {
  calls: ToolsetCalls
  /** What `calls` can do with the tools that are on. */
  offered: readonly Act[]
  /** Whether a debugger can start a file. */
  canDebug(path: string): boolean
  folder: GuidedFolder
  items(): readonly ConversationItem[]
  /** Whether several steps are first shown to the user to change and run. */
  waitsForSteps: boolean
  signal: AbortSignal
}

const guidedNotice =
  'This model works in guided turns, which help small models: it picks each step from a list of possible ones and sees only your latest message. You can change "Tool calling" in the settings of its endpoint.'

/** Maximum number of tasks in one message. */
export const maxTasks = 5

/** Maximum characters of a task. The model repeats it in each answer. */
const maxTask = 1000

/** A task of the message, and what was done about it. */
interface TaskState {
  text: string
  /** Sentences that say how to do the task or how to answer. */
  notes: string[]
  step?: Step
  /** `look`: the file is read before it is changed. */
  phase: 'choose' | 'look' | 'act' | 'done'
}

/**
 * Creates the answers of a guided turn. Each answer is one call of the toolset, chosen by the model among what is
 * possible now, or the text that ends the turn. Replaces `ModelClient.stream` in the loop.
 * @returns a function that streams the next answer. @throws ModelError, AbortError
 */
export function createGuidedTurn(
  deps: GuidedTurnDeps,
): (options?: WriteOptions) => AsyncGenerator<ModelEvent, void, void> {
  const { model, calls } = deps
  const recent: string[] = []
  /** The message that the tasks come from. A steering message replaces them. */
  let message: string | undefined
  let tasks: TaskState[] = []
  /** Whether the message is answered without a step. */
  let talks = false
  /** Whether the current answer has text. */
  let hasText = false

  async function* next(options: WriteOptions = {}): AsyncGenerator<ModelEvent, void, void> {
    hasText = false
    yield { kind: 'toolsAsText', text: guidedNotice, why: 'guided' }
    const asked = deps.items().findLast((item) => item.kind === 'user')
    if (asked?.kind === 'user' && asked.id !== message) {
      yield { kind: 'status', note: 'Choosing the next step…' }
      tasks = await tasksIn(deps, asked.text)
      talks = tasks.length === 0
      message = asked.id
      if (tasks.length > 1 && numberedTasks(asked.text) === undefined) {
        yield* separated()
        yield { kind: 'text', text: tasks.map((task, at) => `${at + 1}. ${withNotes(task)}`).join('\n') }
        if (deps.waitsForSteps) {
          yield { kind: 'stepList' }
          tasks = []
        }
      }
    }
    if (talks) {
      yield { kind: 'status', note: 'Writing the answer…' }
      yield* model.talk(conversationTexts(deps.items()), options)
    }
    for (const task of tasks) {
      if (task.phase === 'done') continue
      const call = yield* advance(task, options)
      if (!call) continue
      yield callEvent(call)
      yield* usageOf(model)
      yield { kind: 'finish', reason: 'tool_calls' }
      return
    }
    await model.end()
    yield* usageOf(model)
    yield { kind: 'finish', reason: 'stop' }
  }

  /** Continues a task. @returns the next call; undefined once the task is done */
  async function* advance(
    task: TaskState,
    options: WriteOptions,
  ): AsyncGenerator<ModelEvent, GuidedCall | undefined, void> {
    if (task.phase === 'choose') {
      yield { kind: 'status', note: 'Choosing the next step…' }
      task.step = await chooseStep(deps, task.text, recent)
      if (!task.step) {
        yield* finish(task, 'Nothing was done: the model did not name a step that is possible here.')
        return undefined
      }
      task.phase = task.step.act === 'edit' ? 'look' : 'act'
      if ('path' in task.step) recent.push(task.step.path)
      return firstCallOf(calls, task.step)
    }
    const { step } = task
    const result = deps.items().findLast((item) => item.kind === 'tool')
    if (!step || result?.kind !== 'tool') return undefined
    if (!result.result?.ok) {
      yield* finish(task, `Not done: ${failure(result)}`)
      return undefined
    }
    if (step.act === 'edit' && task.phase === 'look') {
      yield { kind: 'status', note: 'Writing the change…' }
      const change = await changeLine(deps, step.path, task.text)
      if (change) {
        task.phase = 'act'
        return change
      }
      yield* finish(task, `Not done: the model found no line to change in ${step.path}.`)
      return undefined
    }
    const done = step.act === 'list' ? plainResult(result.result) : doneText(step)
    if (done !== undefined) {
      yield* finish(task, done)
      return undefined
    }
    yield { kind: 'status', note: 'Writing the answer…' }
    yield* separated()
    yield* answerFromText(model, { question: withNotes(task), ...(await sourceOf(deps, step, result.result)) }, options)
    // Set after the answer, because an answer that repeats itself is requested again.
    task.phase = 'done'
    return undefined
  }

  async function* finish(task: TaskState, statement: string): AsyncGenerator<ModelEvent, void, void> {
    task.phase = 'done'
    yield* separated()
    yield { kind: 'text', text: statement }
  }

  /** Separates the texts of two tasks in one answer. */
  async function* separated(): AsyncGenerator<ModelEvent, void, void> {
    if (hasText) yield { kind: 'text', text: '\n\n' }
    hasText = true
  }

  return next
}

function* usageOf(model: GuidedModel): Generator<ModelEvent, void, void> {
  const usage = model.takeUsage()
  if (usage) yield { kind: 'usage', usage }
}

/** Returns the text that answers a question: a file or a result. */
async function sourceOf(
  { folder, signal }: GuidedTurnDeps,
  step: Step,
  result: ToolResult,
): Promise<{ text: string; path: string | undefined }> {
  const path = step.act === 'read' ? step.path : undefined
  const read = path === undefined ? undefined : await textOf(folder, path, signal)
  return { text: shortened(read ?? plainResult(result)), path }
}

/** Returns the tasks of a message; none if it is talk. */
async function tasksIn(deps: GuidedTurnDeps, message: string): Promise<TaskState[]> {
  const { offered, folder, signal } = deps
  // A message that names a file of the folder is work, whatever the model thinks.
  const isWork = offered.length > 0 && (await folder.names(message, signal))
  if (!isWork) {
    const isInFolder = (await folder.containing(message, signal)).length > 0
    if (offered.length === 0 || (await isTalk(deps, message.slice(0, maxTask), isInFolder))) return []
  }
  const tasks: TaskState[] = []
  const isArranged = numberedTasks(message) !== undefined
  for (const text of splitTasks(message)) {
    const before = tasks.at(-1)
    // A sentence that names a file is a step, whatever the model thinks.
    if (before && !isArranged && !(await folder.names(text, signal)) && (await isNote(deps, before.text, text)))
      before.notes.push(text)
    else tasks.push({ text, notes: [], phase: 'choose' })
  }
  return tasks
}

const withNotes = ({ text, notes }: TaskState): string => [text, ...notes].join(' ')

/** Lets the model choose and fill in the first step of a task. @returns undefined if the result is not possible */
async function chooseStep(deps: GuidedTurnDeps, task: string, recent: readonly string[]): Promise<Step | undefined> {
  const { model, offered, folder, signal } = deps
  const paths = await folder.paths([task], recent, signal)
  // A file that the task names need not be found.
  const isFound = await folder.names(task, signal)
  const possible = isFound ? offered.filter((act) => act !== 'search' && act !== 'list') : offered
  // A task that names no file refers to one by its content.
  const containing = isFound ? [] : await folder.containing(task, signal)
  for (const act of await chooseAct(deps, possible, task)) {
    const files = (act === 'read' || act === 'edit') && containing.length > 0 ? containing : paths
    if (files.length === 0 && needsFile(act)) continue
    const debug = act === 'read' || act === 'run' ? await chooseDebug(deps, act, task, paths) : undefined
    if (debug) return debug
    const step = readStep(act, await model.fill(actPrompt(task, offered), stepSchema(task, act, files)))
    // A server without schemas may return other paths.
    if (step && (!needsFile(act) || ('path' in step && files.includes(step.path)))) return step
  }
  return undefined
}

/** Maximum number of files named in a task that a debugger may start. */
const maxPrograms = 10

/** Lets the model decide whether a task is done by debugging a program that it names. */
async function chooseDebug(
  deps: GuidedTurnDeps,
  act: 'read' | 'run',
  task: string,
  paths: readonly string[],
): Promise<DebugStep | undefined> {
  const { model, canDebug, folder, signal } = deps
  const programs = paths.filter((each) => canDebug(each) && namesFile(task, [each])).slice(0, maxPrograms)
  const [program] = programs
  if (program === undefined || !(await needsDebugger(deps, act, task))) return undefined
  const text = (await textOf(folder, program, signal)) ?? ''
  const lines = text.split('\n').map((line) => line.trim())
  const isLine = (line: number): boolean => (lines[line - 1] ?? '') !== ''
  const named = task
    .match(/\b\d{1,6}\b/g)
    ?.map(Number)
    .find(isLine)
  if (named !== undefined) return { act: 'debug', path: program, line: named }
  // Lines without a word of the task would be a guess. The program then stops at an exception only.
  const candidates = candidateLines(text, task, program)
  if (candidates.length === new Set(lines.filter((line) => line !== '')).size) return { act: 'debug', path: program }
  const chosen = await chooseLine(model, { path: program, text, task, lines: candidates })
  return { act: 'debug', path: program, line: lines.indexOf(chosen ?? candidates[0] ?? '') + 1 }
}

const needsFile = (act: Act): boolean => act === 'read' || act === 'edit' || act === 'delete' || act === 'rename'

function callEvent([name, args]: GuidedCall): ModelEvent {
  return {
    kind: 'call',
    call: { id: `guided_${randomUUID().slice(0, 8)}`, name, arguments: JSON.stringify(args) },
    writtenAs: 'guided',
  }
}

/** Returns what a step has changed; undefined for a step that answers a question. */
function doneText(step: Step): string | undefined {
  switch (step.act) {
    case 'edit':
      return `Changed ${step.path}.`
    case 'create':
      return `Created ${step.path}.`
    case 'delete':
      return `Deleted ${step.path}.`
    case 'rename':
      return `Renamed ${step.path} to ${step.to}.`
    default:
      return undefined
  }
}

/** Checks what the model filled in: servers without schemas may send anything. */
function readStep(act: Act, { path, text, content, to, command }: Record<string, unknown>): Step | undefined {
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
  switch (act) {
    case 'list':
      return { act }
    case 'search':
      return isText(text) ? { act, text } : undefined
    case 'run':
      return isText(command) ? { act, command } : undefined
    case 'create':
      return isText(path) && isText(content) ? { act, path, content } : undefined
    case 'rename':
      return isText(path) && isText(to) && to !== path ? { act, path, to } : undefined
    case 'read':
    case 'edit':
    case 'delete':
      return isText(path) ? { act, path } : undefined
  }
}

/** Maximum characters of the conversation in an answer without a step. */
const maxTalk = 12_000

/**
 * Returns the texts of the conversation, shortened. When they become too long, leaves out the older half at once, so
 * that most prompts extend the previous one, which the server has cached.
 */
export function conversationTexts(items: readonly ConversationItem[]): ChatMessage[] {
  let kept: ChatMessage[] = []
  let length = 0
  for (const item of items) {
    if ((item.kind !== 'user' && item.kind !== 'assistant') || item.text.trim() === '') continue
    kept.push({ role: item.kind, content: item.text.slice(0, maxExcerpt) })
    length += Math.min(item.text.length, maxExcerpt)
    if (length <= maxTalk) continue
    kept = kept.slice(Math.ceil(kept.length / 2))
    length = kept.reduce((sum, { content }) => sum + content.length, 0)
  }
  return kept.slice(
    Math.max(
      0,
      kept.findIndex(({ role }) => role === 'user'),
    ),
  )
}

/**
 * Splits a message into its sentences, in any language, or into the entries of a numbered list. Each is a task; those
 * beyond the maximum belong to the last one.
 */
export function splitTasks(message: string): string[] {
  const sentences =
    numberedTasks(message) ??
    [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(message.trim())]
      .map(({ segment }) => segment.trim())
      .filter((segment) => /\p{L}/u.test(segment))
  return [...sentences.slice(0, maxTasks - 1), sentences.slice(maxTasks - 1).join(' ')]
    .map((text) => likeExamples(text.slice(0, maxTask)))
    .filter((text) => text !== '')
}

/** Returns the entries of a message that is a numbered list; undefined for others. */
function numberedTasks(message: string): string[] | undefined {
  const entries = message
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*\d{1,2}[.)]\s+(\S.*)$/.exec(line)?.[1])
  return entries.length > 0 && entries.every((entry) => entry !== undefined) ? entries : undefined
}

/**
 * Formats a task like the examples: with a capital letter, and with a period after a final file name. Without the
 * period, the file in "set MAX to 20 in limits.py" was read instead of changed. No period is added after other words,
 * which may be the text of a new file.
 */
function likeExamples(task: string): string {
  const capital = task.slice(0, 1).toUpperCase() + task.slice(1)
  return /[\p{L}\p{N}]\.\p{L}\w{0,9}$/u.test(capital) ? `${capital}.` : capital
}

function failure({ result }: ToolItem): string {
  return result?.error?.message ?? 'the call was stopped.'
}

/** Returns a result formatted like the examples, the same for all toolsets. */
function plainResult({ text, view }: ToolResult): string {
  if (view.kind === 'matches') return view.matches.map(({ path, text: line }) => `${path}: ${line.trim()}`).join('\n')
  if (view.kind !== 'command') return text
  const state = text.lastIndexOf('\n[')
  const output = state >= 0 && text.trimEnd().endsWith(']') ? text.slice(0, state) : text
  return view.job.exitCode === 0
    ? output
    : `${output}\nThe command failed with exit code ${view.job.exitCode ?? 'unknown'}.`
}

function shortened(text: string): string {
  return text.length <= maxExcerpt ? text : `${text.slice(0, maxExcerpt / 2)}\n…\n${text.slice(-maxExcerpt / 2)}`
}
