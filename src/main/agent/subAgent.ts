import { randomUUID } from 'node:crypto'
import type { ModelChoice, ToolItem, Usage } from '../../shared/conversation.ts'
import { toFailure, type ToolErrorCode } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'
import type { PromptProfile } from '../../shared/promptProfile.ts'
import type { ToolResult } from '../../shared/tool.ts'
import { ModelError, type ChatTool } from '../model/clients/modelClient.ts'
import { unlessAborted } from '../model/transport/unlessAborted.ts'
import type { NestedCalls, RunSubAgent, SubAgentResult, SubAgentTask } from '../tools/toolDefinition.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import { createContextRetryClient, type TurnClient } from './context/contextRetryClient.ts'
import { createConversationCompaction } from './context/conversationCompaction.ts'
import { createGuards, type Guards } from './guards/turnGuards.ts'
import { userItem } from './items.ts'
import { runLoop, type LoopDeps } from './loop.ts'
import { splitAtSummary } from './messages.ts'
import { createMemoryTranscript, type Transcript } from './transcript.ts'

export interface SubAgentOptions {
  choice: ModelChoice
  ready: ReadyModel
  /** The model for sub-agents, if it is another one. */
  other?: ModelChoice | undefined
  /** Returns the tools of the conversation's toolset. */
  toolsFor(profile: PromptProfile): readonly ChatTool[]
  profileFor(window: number): PromptProfile
}

/** Maximum characters of a result in the list of calls. */
const maxLineText = 4000
/** Maximum length of an answer in characters. A longer one means that the model does not stop. */
const maxAnswer = 100_000

/** Tools that a sub-agent never gets: they make calls themselves, or change what belongs to the conversation. */
const ownTools: readonly string[] = ['task', 'codebase_investigator', 'batch', 'todo_write']

/** Added to the last result when a limit is reached. */
const noMoreCalls = 'No more calls. Answer now.'

/**
 * Returns a function that runs a sub-agent: the agent's loop over a transcript in memory, with read-only tools and
 * limits for requests and calls. At a limit, the last result includes a hint, and the sub-agent can still answer.
 * @param calls runs the sub-agent's calls through the approval gate
 */
export function createSubAgent(deps: AgentDeps, options: SubAgentOptions, calls: NestedCalls): RunSubAgent {
  return async (task) => {
    const { maxTurns, maxToolCalls, maxTokens, signal } = task
    const used = { turns: 0, toolCalls: 0, tokens: 0 }
    const model = await readyModel(deps, options, signal)
    if ('problem' in model) return { ...used, ended: 'failed', text: '', problem: model.problem }
    const { choice, ready } = model
    const settings = deps.settings()
    const transcript = createMemoryTranscript([userItem(randomUUID(), task.question, guardMode)])
    const toolsFor = (profile: PromptProfile) =>
      maxTurns > 1 && maxToolCalls > 0 ? allowedTools(options.toolsFor(profile), task.tools, calls) : []
    const tools = toolsFor('full')
    const compaction = createConversationCompaction(deps, {
      transcript,
      profileFor: options.profileFor,
      form: (profile) => ({ profile, system: task.system, tools: toolsFor(profile) }),
      model: choice.model,
      ready,
      signal,
    })
    const client = deps.features.budget
      ? createContextRetryClient(ready.client, async (refusal) => {
          compaction.refused(refusal)
          return { ...(await compaction.request()), text: '' }
        })
      : ready.client
    const aside = ready.slots?.aside()
    // Requests to another model leave the prompt of the conversation in the cache.
    const prompt = options.other ? undefined : await ready.slots?.keep(signal)
    let lastPrompt = 0
    const { outcome, problem = '' } = await runLoop({
      transcript,
      model: choice.model,
      request: () => {
        used.turns += 1
        return compaction.request()
      },
      stream: ({ messages, tools: sent }) =>
        boundedAnswer(
          client.stream({
            model: choice.model,
            messages,
            tools: sent,
            temperature: settings.temperature,
            contextWindow: ready.contextWindow,
            isAside: true,
            ...(aside !== undefined && { slot: aside }),
            ...(sent.length === 0 && task.answerSchema && { answerSchema: task.answerSchema }),
            signal,
          }),
          ({ promptTokens, completionTokens }) => {
            used.tokens += Math.max(0, promptTokens - lastPrompt) + completionTokens
            lastPrompt = promptTokens + completionTokens
          },
        ),
      ...createCallHandlers(task, { transcript, tools, calls, used }),
      maxRequests: maxTurns,
      guards: withLimits(
        createGuards(deps.features),
        () => used.turns === maxTurns - 1 || used.toolCalls >= maxToolCalls || used.tokens >= maxTokens,
      ),
      mode: () => guardMode,
      signal,
    }).finally(() => prompt && unlessAborted(prompt.restore(), signal))
    signal.throwIfAborted()
    const lostTokens = prompt?.kept === 'lost' ? prompt.tokens : 0
    return { ...used, ...endOf(outcome, transcript), problem, ...(lostTokens > 0 && { lostTokens }) }
  }
}

/** Guards treat an announced call as a promise in every mode but plan mode. */
const guardMode = 'safe'

function endOf(outcome: string, transcript: Transcript): Pick<SubAgentResult, 'ended' | 'text'> {
  if (outcome === 'endpoint_failed' || outcome === 'cancelled') return { ended: 'failed', text: '' }
  if (outcome === 'turn_limit' || outcome === 'stuck') return { ended: 'limit', text: '' }
  const answer = transcript.items().findLast((item) => item.kind === 'assistant')
  return { ended: 'answered', text: answer?.text ?? '' }
}

interface CallHandlerDeps {
  transcript: Transcript
  tools: readonly ChatTool[]
  calls: NestedCalls
  used: { toolCalls: number; tokens: number }
}

/** Runs the sub-agent's calls, except calls of other tools, repeated calls, and calls beyond the limit. */
function createCallHandlers(
  task: SubAgentTask,
  { transcript, tools, calls, used }: CallHandlerDeps,
): Pick<LoopDeps, 'callTool' | 'runsInParallel'> {
  const names = tools.map((tool) => tool.name)
  return {
    runsInParallel: ({ name, arguments: written }) => calls.runsInParallel(name, written),
    async callTool(call, { signal }) {
      if (!names.includes(toolNameOf(call.name, calls)))
        return failure('unknown_tool', `"${call.name}" is not available here. Use: ${names.join(', ')}.`)
      if (isRepeated(call, transcript, calls))
        return textResult('This call was made before; its result is above. Make another one, or answer.')
      if (used.toolCalls >= task.maxToolCalls)
        return textResult(`This call was not made: the maximum of ${plural(task.maxToolCalls, 'call')} is reached.`)
      if (used.tokens >= task.maxTokens)
        return textResult(`This call was not made: the budget of ${plural(task.maxTokens, 'token')} is used up.`)
      used.toolCalls += 1
      task.onCall(call.name, call.arguments)
      const result = await calls.call(call.name, call.arguments, signal)
      const { ok, text, view, elapsedMs } = result
      task.onResult?.({
        tool: call.name,
        arguments: result.arguments,
        ok,
        text: text.slice(0, maxLineText),
        view,
        elapsedMs,
      })
      return result
    },
  }
}

/**
 * Whether the next request includes the whole result of the same call, or the same call is running. Only for calls that
 * read, since the last call that may have changed something: tests run again after an edit.
 */
function isRepeated(call: ToolItem, transcript: Transcript, calls: NestedCalls): boolean {
  const onlyReads = (item: ToolItem): boolean => calls.runsInParallel(item.name, item.arguments)
  if (!onlyReads(call)) return false
  const { rest } = splitAtSummary(transcript.items())
  const before = rest.slice(
    0,
    rest.findIndex(({ id }) => id === call.id),
  )
  const change = before.findLastIndex((item) => item.kind === 'tool' && !onlyReads(item))
  return before
    .slice(change + 1)
    .some(
      (item) =>
        item.kind === 'tool' &&
        item.name === call.name &&
        item.arguments === call.arguments &&
        item.keep === undefined &&
        !item.stale,
    )
}

/** Returns the name of a tool, given its name or an alias. */
function toolNameOf(name: string, calls: NestedCalls): string {
  try {
    return calls.find(name).name
  } catch (error) {
    // A disabled tool is handled like an unknown one.
    if (['unknown_tool', 'switched_off'].includes(toFailure(error).code)) return name
    throw error
  }
}

function allowedTools(all: readonly ChatTool[], wanted: SubAgentTask['tools'], calls: NestedCalls): ChatTool[] {
  return all.filter(({ name }) => {
    if (Array.isArray(wanted)) return wanted.includes(name) && calls.find(name).risk === 'read'
    if (ownTools.includes(name)) return false
    const { risk, effect } = calls.find(name)
    return wanted === 'all' || (risk === 'read' && effect === undefined)
  })
}

/** Returns the model for sub-agents: the conversation's, unless the user selected another one. */
async function readyModel(
  deps: AgentDeps,
  { choice, ready, other }: SubAgentOptions,
  signal: AbortSignal,
): Promise<{ choice: ModelChoice; ready: ReadyModel } | { problem: string }> {
  if (!other) return { choice, ready }
  try {
    return { choice: other, ready: await deps.model(other, signal) }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { problem: `${error.message} ${error.hint}`.trim() }
  }
}

/** Adds a hint to the last result of an answer at a limit, because chat templates allow no user message there. */
function withLimits(guards: Guards, reached: () => boolean): Guards {
  return {
    ...guards,
    afterCall(items) {
      const repetition = guards.afterCall(items)
      const open = items.some((item) => item.kind === 'tool' && item.result === undefined)
      if (open || !reached()) return repetition
      return { ...repetition, warning: [repetition?.warning, noMoreCalls].filter(Boolean).join(' ') }
    },
  }
}

/** @throws ModelError `bad_response` when the answer grows beyond `maxAnswer` */
async function* boundedAnswer(
  events: ReturnType<TurnClient['stream']>,
  onUsage: (usage: Usage) => void,
): ReturnType<LoopDeps['stream']> {
  let length = 0
  for await (const event of events) {
    if (event.kind === 'usage') onUsage(event.usage)
    if (event.kind === 'text' || event.kind === 'reasoning') length += event.text.length
    if (length > maxAnswer)
      throw new ModelError(
        'bad_response',
        `The model's answer did not end within ${plural(maxAnswer, 'character')}.`,
        'Use another model.',
      )
    yield event
  }
}

function textResult(text: string): ToolResult {
  return { ok: true, text, view: { kind: 'text' }, elapsedMs: 0, arguments: {}, truncated: false }
}

function failure(code: ToolErrorCode, message: string): ToolResult {
  const text = `Error (${code}): ${message}`
  return { ...textResult(text), ok: false, error: { code, message, next: '' } }
}
