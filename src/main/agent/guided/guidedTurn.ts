import { randomUUID } from 'node:crypto'
import type { ConversationItem, ToolItem } from '../../../shared/conversation.ts'
import type { ToolResult } from '../../../shared/tool.ts'
import type { ModelEvent } from '../../model/clients/modelClient.ts'
import { acts, type Act, type Step } from './acts.ts'
import { createActChooser } from './chooseAct.ts'
import { changeLine, maxResult, textOf } from './changeLine.ts'
import type { GuidedFolder } from './guidedFolder.ts'
import type { GuidedModel } from './guidedModel.ts'
import { actPrompt, answerPrompt, stepSchema } from './questions.ts'
import { callOf, type GuidedCall, type ToolsetCalls } from './toolsetCalls.ts'

export interface GuidedTurnDeps {
  model: GuidedModel
  /** See `GuidedKnowledge`. */
  biases: Map<string, readonly number[]>
  calls: ToolsetCalls
  folder: GuidedFolder
  items(): readonly ConversationItem[]
  signal: AbortSignal
}

const guidedNotice =
  'This model is small, so it works in guided turns: it chooses each step among what is possible, and sees your latest message only. You can change this in the settings of its endpoint: Way to call tools.'

/** Maximum number of tasks in one message. */
export const maxTasks = 5

/** A task of the message, and what was done about it. */
interface TaskState {
  text: string
  step?: Step
  /** `look`: the file is read before it is changed. */
  phase: 'choose' | 'look' | 'act' | 'done'
}

/**
 * Creates the answers of a guided turn. Each answer is one call of the toolset, chosen by the model among what is
 * possible now, or the text that ends the turn. Takes the place of `ModelClient.stream` in the loop.
 * @returns a function that streams the next answer. @throws ModelError, AbortError
 */
export function createGuidedTurn(deps: GuidedTurnDeps): () => AsyncGenerator<ModelEvent, void, void> {
  const { model, calls, folder, signal } = deps
  const offered = acts.filter((act) => calls[act] !== undefined)
  const chooser = createActChooser(model, offered, deps.biases)
  const recent: string[] = []
  /** The message that the tasks come from. A steering message replaces them. */
  let message: string | undefined
  let tasks: TaskState[] = []
  /** Whether the current answer has text. */
  let hasText = false

  async function* next(): AsyncGenerator<ModelEvent, void, void> {
    hasText = false
    yield { kind: 'toolsAsText', text: guidedNotice }
    const asked = deps.items().findLast((item) => item.kind === 'user')
    if (asked?.kind === 'user' && asked.id !== message) {
      message = asked.id
      tasks = splitTasks(asked.text).map((text) => ({ text, phase: 'choose' }))
    }
    for (const task of tasks) {
      if (task.phase === 'done') continue
      const call = yield* advance(task)
      if (!call) continue
      yield callEvent(call)
      yield* usage()
      yield { kind: 'finish', reason: 'tool_calls' }
      return
    }
    yield* usage()
    yield { kind: 'finish', reason: 'stop' }
  }

  /** Continues a task. @returns the next call; undefined once the task is done */
  async function* advance(task: TaskState): AsyncGenerator<ModelEvent, GuidedCall | undefined, void> {
    if (task.phase === 'choose') {
      yield { kind: 'status', note: 'Choosing the next step…' }
      task.step = await choose(task.text)
      if (!task.step) {
        yield* finish(task, 'Nothing was done: the model did not name a step that is possible here.')
        return undefined
      }
      task.phase = task.step.act === 'edit' ? 'look' : 'act'
      if ('path' in task.step) recent.push(task.step.path)
      return callOf(calls, task.step)
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
    const done = doneText(step)
    if (done !== undefined) {
      yield* finish(task, done)
      return undefined
    }
    yield { kind: 'status', note: 'Writing the answer…' }
    yield* separated(task)
    const text = step.act === 'read' ? await textOf(folder, step.path, signal) : undefined
    yield* model.write(answerPrompt(shortened(text ?? plainResult(result.result)), task.text))
    return undefined
  }

  async function choose(text: string): Promise<Step | undefined> {
    const paths = await folder.paths([text], recent, signal)
    for (const act of await chooser.choose(text)) {
      if (paths.length === 0 && needsFile(act)) continue
      const step = readStep(act, await model.fill(actPrompt(text, offered), stepSchema(text, act, paths)))
      if (step) return step
    }
    return undefined
  }

  async function* finish(task: TaskState, statement: string): AsyncGenerator<ModelEvent, void, void> {
    yield* separated(task)
    yield { kind: 'text', text: statement }
  }

  /** Marks a task as done, and separates its text from that of a task before in the same answer. */
  async function* separated(task: TaskState): AsyncGenerator<ModelEvent, void, void> {
    task.phase = 'done'
    if (hasText) yield { kind: 'text', text: '\n\n' }
    hasText = true
  }

  async function* usage(): AsyncGenerator<ModelEvent, void, void> {
    const sum = model.takeUsage()
    if (sum) yield { kind: 'usage', usage: sum }
  }

  return next
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

/** Splits a message into its sentences, in any language. Each is a task; further ones belong to the last. */
export function splitTasks(message: string): string[] {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(message.trim())]
    .map(({ segment }) => segment.trim())
    .filter((segment) => /\p{L}/u.test(segment))
  return [...sentences.slice(0, maxTasks - 1), sentences.slice(maxTasks - 1).join(' ')].filter((text) => text !== '')
}

function failure({ result }: ToolItem): string {
  return result?.error?.message ?? 'the call was stopped.'
}

/** Returns a result in the plain form of the examples, the same for all toolsets. */
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
  return text.length <= maxResult ? text : `${text.slice(0, maxResult / 2)}\n…\n${text.slice(-maxResult / 2)}`
}
