import type { ContextUse } from '../../shared/agent/contextUse.ts'
import type { AssistantItem, NoticeItem, ToolItem, TurnOutcome } from '../../shared/agent/conversation.ts'
import { isAbort } from '../../shared/errors.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { ModelError, type ChatMessage, type ChatTool, type ModelEvent } from '../model/modelClient.ts'
import type { ContextRetryEvent } from './context/contextRetryClient.ts'
import { createRepetitionDetector, type AnswerRepetition } from './guards/answerRepetition.ts'
import type { Guards } from './guards/turnGuards.ts'
import { assistantItem, cancelledCalls, noticeItem, nudgeItem, toolItem, loopNotices } from './conversation/items.ts'
import { runCalls, type CallDeps } from './toolCalls.ts'
import type { Transcript } from './conversation/transcript.ts'

/** A request to the model, built from the transcript. */
export interface LoopRequest {
  messages: ChatMessage[]
  tools: ChatTool[]
  /** How the request fills the context window. */
  use?: ContextUse
  /** Whether the previous answer repeated itself. */
  againstRepetition?: boolean
}

/** Dependencies of the loop, which does no I/O of its own. */
export interface LoopDeps extends CallDeps {
  transcript: Transcript
  /** Name of the model, stored with its answers. */
  model: string
  /** Builds the next request. May truncate or summarize the conversation to make it fit. @throws ModelError */
  request(): Promise<LoopRequest>
  /** Sends a request and streams the answer. @throws ModelError */
  stream(request: LoopRequest): AsyncIterable<ModelEvent | ContextRetryEvent>
  /** Maximum number of requests, after which the loop ends. */
  maxRequests: number
  guards: Guards
  /** Returns the current mode, which the user may change while the loop runs. */
  mode(): Mode
  /** Moves messages that the user sent in the meantime into the transcript. @returns whether there were any */
  takeSteered?(): boolean | Promise<boolean>
  /** Called before the loop ends with an answer. @returns a message for the model, which then continues */
  beforeEnd?(): Promise<string | undefined>
}

export interface LoopEnd {
  outcome: Exclude<TurnOutcome, 'failed'>
  /** The reason for `stuck` and `endpoint_failed`. */
  problem?: string
}

/**
 * Runs the model until it answers without a tool call: send a request, run the calls of the answer, record the results,
 * repeat. Agents and sub-agents share this loop. When the loop returns, the transcript contains everything
 * that the user and the model need.
 * @throws only unexpected errors, such as a failing store; model errors and cancellation are outcomes
 */
export async function runLoop(deps: LoopDeps): Promise<LoopEnd> {
  const { transcript, signal } = deps
  let lackedApproval = false
  try {
    for (let requests = 0; requests < deps.maxRequests; requests++) {
      const answer = await answerWithoutRepetition(deps)
      if (!answer) return { outcome: 'repeating', problem: loopNotices.repeatedAgain }
      const { assistant, calls, truncated } = answer
      if (calls.length === 0) {
        if (await deps.takeSteered?.()) continue
        if (!truncated && nudge(assistant, deps)) continue
        if (truncated) return { outcome: 'truncated' }
        const reason = await deps.beforeEnd?.()
        if (reason !== undefined) {
          transcript.put({ ...nudgeItem(reason), hooked: true })
          continue
        }
        return { outcome: lackedApproval ? 'approval_needed' : 'done' }
      }
      for await (const call of runCalls(calls, deps)) {
        if (call.result?.error?.code === 'approval_required') lackedApproval = true
        if (call.result?.endTurn !== undefined) return stuck(call.result.endTurn, transcript)
        const repetition = deps.guards.afterCall(transcript.items())
        if (repetition) transcript.put({ ...call, warning: repetition.warning })
        if (repetition?.stop === undefined) continue
        return stuck(repetition.stop, transcript)
      }
      signal.throwIfAborted()
      await deps.takeSteered?.()
    }
    transcript.put(noticeItem('info', loopNotices.turnLimit(deps.maxRequests), 'continue'))
    return { outcome: 'turn_limit' }
  } catch (error) {
    return failed(error, deps)
  } finally {
    transcript.note(undefined)
  }
}

function stuck(problem: string, transcript: Transcript): LoopEnd {
  closeCalls(transcript)
  transcript.put(noticeItem('warning', problem, 'continue'))
  return { outcome: 'stuck', problem }
}

function failed(error: unknown, { transcript, signal }: LoopDeps): LoopEnd {
  const cancelled = isAbort(error) || signal.aborted
  if (!cancelled && !(error instanceof ModelError)) throw error
  closeCalls(transcript)
  if (cancelled || !(error instanceof ModelError)) return { outcome: 'cancelled' }
  const action = error.code === 'context_exceeded' ? 'contextSize' : 'retry'
  transcript.put(noticeItem('error', `${error.message}\n${error.hint}`.trim(), action))
  return { outcome: 'endpoint_failed', problem: error.message }
}

function closeCalls(transcript: Transcript): void {
  for (const call of cancelledCalls(transcript.items())) transcript.put(call)
}

/** Applies the guards' advice about an answer without a call. @returns whether the model gets another request */
function nudge(answer: AssistantItem, { transcript, guards, mode }: LoopDeps): boolean {
  const advice = guards.afterAnswer(answer, transcript.items(), mode())
  if (!advice) return false
  transcript.put('nudge' in advice ? nudgeItem(advice.nudge) : noticeItem('warning', advice.notice, 'retry'))
  return 'nudge' in advice
}

/**
 * Receives the next answer. If it repeats itself, stops it and requests another one. @returns undefined if that one
 * repeats itself too
 */
async function answerWithoutRepetition(deps: LoopDeps): Promise<Answer | undefined> {
  const { transcript } = deps
  const request = await deps.request()
  for (const againstRepetition of [false, true]) {
    const answer = await receiveAnswer(deps, againstRepetition ? { ...request, againstRepetition } : request)
    if (!answer.repeated) return answer
    closeCalls(transcript)
    transcript.put(
      againstRepetition
        ? noticeItem('warning', loopNotices.repeatedAgain, 'continue')
        : noticeItem('info', loopNotices.repeatedOnce),
    )
  }
  return undefined
}

interface Answer {
  assistant: AssistantItem
  calls: ToolItem[]
  /** Whether the model reached its output limit. */
  truncated: boolean
  /** Whether it repeated itself and was stopped. */
  repeated: boolean
}

/** Sends one request and streams its answer into the transcript. */
async function receiveAnswer(deps: LoopDeps, request: LoopRequest): Promise<Answer> {
  const { transcript, signal } = deps
  const assistant = assistantItem(deps.model, request.use)
  transcript.put(assistant, 'later')
  const started = new Map<string, ToolItem>()
  const calls: ToolItem[] = []
  let truncated = false
  let repeated = false
  const detectors = { text: createRepetitionDetector(), reasoning: createRepetitionDetector() }
  try {
    for await (const event of deps.stream(request)) {
      switch (event.kind) {
        case 'text':
        case 'reasoning':
          transcript.note(undefined)
          transcript.append(assistant, { [event.kind]: event.text })
          repeated = shorten(assistant, event.kind, detectors[event.kind].push(event.text))
          break
        case 'wasReasoning':
          assistant.reasoning += assistant.text
          assistant.text = ''
          detectors.text = createRepetitionDetector()
          transcript.put(assistant, 'later')
          break
        case 'callStarted': {
          const item = toolItem(assistant, { id: event.id, name: event.name, arguments: '' })
          started.set(event.id, item)
          transcript.put(item, 'later')
          break
        }
        case 'call': {
          const { id, name, arguments: written } = event.call
          const item = {
            ...(started.get(id) ?? toolItem(assistant, event.call)),
            name,
            arguments: written,
            ...(event.writtenAs !== undefined && { writtenAs: event.writtenAs }),
          }
          calls.push(item)
          started.set(id, item)
          transcript.put(item, 'later')
          break
        }
        case 'discarded': {
          const [first] = started.values()
          if (first) transcript.truncate(first.id)
          started.clear()
          calls.length = 0
          truncated = false
          assistant.text = ''
          assistant.reasoning = ''
          transcript.put(assistant, 'later')
          break
        }
        case 'promptCut':
        case 'toolsAsText':
          noticeOnce(transcript, {
            ...(event.kind === 'promptCut'
              ? noticeItem('warning', event.text, 'contextSize')
              : noticeItem('info', event.text)),
            cause: event.kind,
          })
          break
        case 'refitted':
          assistant.context = event.use
          noticeOnce(transcript, { ...noticeItem('info', event.text, 'contextSize'), cause: event.kind })
          break
        case 'stepList':
          assistant.isStepList = true
          break
        case 'usage':
          assistant.usage = event.usage
          break
        case 'likelihoods':
          break
        case 'status':
          transcript.note(event.note)
          break
        case 'finish':
          if (event.reason === 'length') {
            truncated = true
            transcript.put(noticeItem('warning', loopNotices.truncated, 'continue'))
          }
      }
      // Leaving the loop closes the connection, which stops the server.
      if (repeated) break
    }
    assistant.state = repeated ? 'stopped' : 'done'
    return { assistant, calls, truncated, repeated }
  } catch (error) {
    assistant.state = isAbort(error) || signal.aborted ? 'stopped' : 'failed'
    throw error
  } finally {
    // Calls are stored with the answer once they begin to run.
    transcript.put({ ...assistant }, assistant.state === 'done' && calls.length > 0 ? 'later' : 'now')
  }
}

/** Cuts a text that repeats itself after the first copy. @returns whether it repeats itself */
function shorten(item: AssistantItem, part: 'text' | 'reasoning', repetition: AnswerRepetition | undefined): boolean {
  if (!repetition) return false
  item[part] = item[part].slice(0, repetition.keep)
  return true
}

/** Shows a notice once per conversation, because its cause also affects all later requests. */
function noticeOnce(transcript: Transcript, item: NoticeItem): void {
  const shown = transcript.items().some((other) => other.kind === 'notice' && other.cause === item.cause)
  if (!shown) transcript.put(item)
}
