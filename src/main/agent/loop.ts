import { randomUUID } from 'node:crypto'
import type { Attachment } from '../../shared/attachments.ts'
import type { ContextUse } from '../../shared/contextUse.ts'
import type {
  AssistantItem,
  ConversationItem,
  NoticeItem,
  ToolItem,
  TurnOutcome,
  UserItem,
} from '../../shared/conversation.ts'
import type { Mode, ToolsetName } from '../../shared/risk.ts'
import { isAbort } from '../../shared/errors.ts'
import type { ToolProgress } from '../../shared/tool.ts'
import { plural } from '../../shared/plural.ts'
import { ModelError, type ChatMessage, type ChatTool, type ModelCall } from '../model/clients/modelClient.ts'
import type { Executor, ToolCallRequest } from '../tools/executor.ts'
import type { TurnClient } from './context/contextFitClient.ts'
import type { Guards } from './guards/turnGuards.ts'
import type { Repetition } from './guards/repetition.ts'

/** Where a turn reads and writes the conversation. Every change is stored and shown by the owner (agent/agent.ts). */
export interface Transcript {
  items(): readonly ConversationItem[]
  /** Adds an item, or replaces the one of the same id. */
  put(item: ConversationItem): void
  /** Appends to a streaming assistant item without rewriting it. */
  append(item: AssistantItem, delta: { text?: string; reasoning?: string }): void
  /** What a call tells while it is under way; shown, not stored. */
  progress(callId: string, progress: ToolProgress): void
  /** A passing word beside the spinner, e.g. "Loading model…". */
  note(text: string | undefined): void
}

export interface TurnOptions {
  conversationId: string
  transcript: Transcript
  client: TurnClient
  model: string
  /** What the next request carries of the conversation, system prompt first. May shorten and summarise it. @throws ModelError */
  request(): Promise<{ messages: ChatMessage[]; tools: ChatTool[]; use?: ContextUse }>
  temperature: number
  contextWindow?: number
  executor: Executor
  /** Awaited before each call that may change something (agent/checkpointing.ts). */
  beforeChange?(): Promise<void>
  /** For tools that ask the model themselves. */
  subAgent?: ToolCallRequest['subAgent']
  toolset: ToolsetName
  /** Read before every call, so that a change by the user holds from the next one on. */
  mode(): Mode
  attended: boolean
  maxTurns: number
  /** Notice a model that does not get on. */
  guards: Guards
  /** Puts what the user steers with into the transcript. Called between calls and before a turn would end. @returns whether there was anything */
  takeSteered?(): boolean
  signal: AbortSignal
  newId(): string
}

/**
 * Lets the model work until it answers without a call: ask, run its calls in order, hand back every result, ask again.
 * How it ended is the outcome, and what the user needs to know stands in the transcript. Throws only what nobody foresaw, a
 * store that fails among it; the owner of the turn tells the user of that.
 */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { transcript, signal } = options
  let lackedApproval = false
  try {
    for (let request = 0; request < options.maxTurns; request++) {
      const { assistant, calls, cut } = await ask(options)
      if (calls.length === 0) {
        if (options.takeSteered?.()) continue
        if (!cut && advise(assistant, options)) continue
        return lackedApproval ? 'approval_needed' : 'done'
      }
      for (const item of calls) {
        const { done, stop } = await runCall(item, options)
        if (done.result?.error?.code === 'approval_required') lackedApproval = true
        if (stop !== undefined) {
          for (const open of cancelledCalls(transcript.items())) transcript.put(open)
          notice(options, 'warning', stop, 'continue')
          return 'stuck'
        }
      }
      signal.throwIfAborted()
      options.takeSteered?.()
    }
    notice(
      options,
      'info',
      `Stopped after ${plural(options.maxTurns, 'request')} in one turn (the limit in the settings).`,
      'continue',
    )
    return 'turn_limit'
  } catch (error) {
    const cancelled = isAbort(error) || signal.aborted
    if (!cancelled && !(error instanceof ModelError)) throw error
    for (const item of cancelledCalls(transcript.items())) transcript.put(item)
    if (!(error instanceof ModelError) || cancelled) return 'cancelled'
    notice(
      options,
      'error',
      `${error.message}\n${error.hint}`.trim(),
      error.code === 'context_exceeded' ? 'contextSize' : 'retry',
    )
    return 'endpoint_failed'
  } finally {
    transcript.note(undefined)
  }
}

/** What the guards say of an answer without a call. @returns whether the model is asked once more */
function advise(answer: AssistantItem, options: TurnOptions): boolean {
  const { transcript, guards } = options
  const advice = guards.afterAnswer(answer, transcript.items(), options.mode())
  if (!advice) return false
  if ('nudge' in advice)
    transcript.put({ id: options.newId(), kind: 'user', at: Date.now(), text: advice.nudge, nudge: true })
  else notice(options, 'warning', advice.notice, 'retry')
  return 'nudge' in advice
}

/** One request to the model: streams text and calls into the transcript and returns them whole. `cut`: at the server's limit. */
async function ask(options: TurnOptions): Promise<{ assistant: AssistantItem; calls: ToolItem[]; cut: boolean }> {
  const { transcript } = options
  const { messages, tools, use } = await options.request()
  const assistant: AssistantItem = {
    id: options.newId(),
    kind: 'assistant',
    at: Date.now(),
    text: '',
    reasoning: '',
    state: 'streaming',
    model: options.model,
    ...(use && { context: use }),
  }
  transcript.put(assistant)
  const started = new Map<string, ToolItem>()
  const calls: ToolItem[] = []
  let cut = false
  try {
    const stream = options.client.stream({
      model: options.model,
      messages,
      tools,
      temperature: options.temperature,
      contextWindow: options.contextWindow,
      signal: options.signal,
    })
    for await (const event of stream) {
      switch (event.kind) {
        case 'text':
        case 'reasoning':
          transcript.note(undefined)
          transcript.append(assistant, { [event.kind]: event.text })
          break
        case 'callStarted': {
          const item = newCall(options, assistant, { id: event.id, name: event.name, arguments: '' })
          started.set(event.id, item)
          transcript.put(item)
          break
        }
        case 'call': {
          const item = {
            ...(started.get(event.call.id) ?? newCall(options, assistant, event.call)),
            name: event.call.name,
            arguments: event.call.arguments,
          }
          calls.push(item)
          transcript.put(item)
          break
        }
        case 'promptCut':
          noticeOnce(options, { ...noticeItem('warning', event.text, 'contextSize'), cause: 'promptCut' })
          break
        case 'refitted':
          assistant.context = event.use
          noticeOnce(options, { ...noticeItem('info', event.text, 'contextSize'), cause: 'refitted' })
          break
        case 'usage':
          assistant.usage = event.usage
          break
        case 'toolsAsText':
          noticeOnce(options, { ...noticeItem('info', event.text), cause: 'toolsAsText' })
          break
        case 'status':
          transcript.note(event.note)
          break
        case 'finish':
          if (event.reason === 'length') {
            cut = true
            notice(
              options,
              'warning',
              "The answer was cut at the model's limit for one answer or its context window.",
              'continue',
            )
          }
      }
    }
    assistant.state = 'done'
    return { assistant, calls, cut }
  } catch (error) {
    assistant.state = isAbort(error) || options.signal.aborted ? 'stopped' : 'failed'
    throw error
  } finally {
    transcript.put({ ...assistant })
  }
}

function newCall(options: TurnOptions, assistant: AssistantItem, call: ModelCall): ToolItem {
  return {
    id: options.newId(),
    kind: 'tool',
    at: Date.now(),
    assistantId: assistant.id,
    callId: call.id,
    name: call.name,
    arguments: call.arguments,
    state: 'streaming',
  }
}

/** Runs one call through the executor and keeps its card up to date. @returns the item with its result, and why the turn should end, if it should */
async function runCall(call: ToolItem, options: TurnOptions): Promise<{ done: ToolItem; stop?: string }> {
  const { transcript } = options
  let item: ToolItem = { ...call, at: Date.now(), state: 'running' }
  const update = (change: Partial<ToolItem>) => {
    item = { ...item, ...change }
    transcript.put(item)
  }
  update({})
  const result = await options.executor.call({
    callId: item.id,
    conversationId: options.conversationId,
    name: call.name,
    arguments: call.arguments,
    toolset: options.toolset,
    mode: options.mode(),
    attended: options.attended,
    signal: options.signal,
    subAgent: options.subAgent,
    beforeChange: options.beforeChange,
    onState: (state) => update({ state }),
    onProgress: (progress) => {
      if (progress.kind === 'job') update({ job: progress.job })
      else transcript.progress(item.id, progress)
    },
  })
  const job = result.view.kind === 'command' ? result.view.job : item.job
  update({ result, job, endedAt: Date.now(), approval: undefined, state: endState(result.ok, result.error?.code) })
  const circle: Repetition | undefined = options.guards.afterCall(transcript.items())
  if (circle) update({ warning: circle.warning })
  return { done: item, stop: circle?.stop }
}

function endState(ok: boolean, code: string | undefined): ToolItem['state'] {
  if (ok) return 'done'
  if (code === 'cancelled') return 'cancelled'
  return code === 'refused' || code === 'approval_required' || code === 'not_in_plan_mode' ? 'refused' : 'failed'
}

/** After a stop or a failure no card may go on looking as if it ran. @returns the items of open calls as they should be now */
export function cancelledCalls(items: readonly ConversationItem[]): ToolItem[] {
  return items.flatMap((item) =>
    item.kind === 'tool' && (item.state === 'streaming' || item.state === 'running' || item.state === 'approval')
      ? [{ ...item, state: 'cancelled' as const, approval: undefined }]
      : [],
  )
}

function notice(options: TurnOptions, level: NoticeItem['level'], text: string, action?: NoticeItem['action']): void {
  options.transcript.put(noticeItem(level, text, action))
}

/** What holds for every request from then on is said once in a conversation. */
function noticeOnce(options: TurnOptions, item: NoticeItem): void {
  const said = options.transcript.items().some((other) => other.kind === 'notice' && other.cause === item.cause)
  if (!said) options.transcript.put(item)
}

/** A word to the user as an item. */
export function noticeItem(level: NoticeItem['level'], text: string, action?: NoticeItem['action']): NoticeItem {
  return { id: randomUUID(), kind: 'notice', at: Date.now(), level, text, action }
}

/** A message of the user's as an item. @param mode the conversation's now */
export function userItem(id: string, text: string, mode: Mode, attachments: readonly Attachment[] = []): UserItem {
  return {
    id,
    kind: 'user',
    at: Date.now(),
    text,
    mode,
    ...(attachments.length > 0 && { attachments: [...attachments] }),
  }
}
