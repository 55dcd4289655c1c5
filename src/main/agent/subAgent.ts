import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ModelChoice, Usage } from '../../shared/agent/conversation.ts'
import { plural } from '../../shared/text/plural.ts'
import { inheritedModel } from '../../shared/plugins/plugins.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { PromptProfile } from '../../shared/agent/promptProfile.ts'
import { ModelError, type ChatTool } from '../model/modelClient.ts'
import { unlessAborted } from '../model/transport/http.ts'
import type { NestedCalls, RunSubAgent, SubAgentResult, SubAgentTask } from '../tools/common/toolDefinition.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import { createContextRetryClient, type TurnClient } from './context/contextRetryClient.ts'
import { createConversationCompaction } from './compactionSetup.ts'
import { createGuards, type Guards } from './guards/turnGuards.ts'
import { userItem } from './conversation/items.ts'
import { runLoop, type LoopDeps } from './loop.ts'
import { allowedTools, createCallHandlers } from './subAgentCalls.ts'
import type { CostMeter } from './turnCost.ts'
import { createTurnHooks } from './turnHooks.ts'
import { createMemoryTranscript, type Transcript } from './conversation/transcript.ts'

export interface SubAgentOptions {
  /** The conversation that the sub-agent works for. */
  conversation: string
  /** Returns the mode of the conversation. */
  mode(): Mode
  choice: ModelChoice
  ready: ReadyModel
  /** The model for sub-agents, if it differs from the conversation's. */
  other?: ModelChoice | undefined
  /** Counts the requests to the other model. */
  meter?: Pick<CostMeter, 'count'>
  /** Returns the tools of the conversation's toolset. */
  toolsFor(profile: PromptProfile): readonly ChatTool[]
  profileFor(window: number): PromptProfile
}

/** Maximum characters of an answer. A longer one means that the model does not stop. */
const maxAnswer = 100_000

/** Added to the last result when a limit is reached. */
const noMoreCalls = 'No more calls. Answer now.'
/** Number of requests after a limit in which a sub-agent can still answer. */
const extraRequests = 2

/** Usage that counts towards a sub-agent's limits. */
type Used = Pick<SubAgentResult, 'turns' | 'toolCalls' | 'tokens'>

/**
 * Returns a function that runs a sub-agent: the agent's loop over a transcript in memory, with read-only tools and
 * limits for requests and calls. At a limit, the last result includes a hint, and the sub-agent can still answer.
 * @param calls runs the sub-agent's calls through the approval gate
 */
export function createSubAgent(deps: AgentDeps, options: SubAgentOptions, calls: NestedCalls): RunSubAgent {
  return async (task) => {
    const { maxTurns, maxToolCalls, signal } = task
    const used = { turns: 0, toolCalls: 0, tokens: 0 }
    const model = await readyModel(deps, options, task.model, signal)
    if ('problem' in model) return { ...used, ended: 'failed', text: '', problem: model.problem }
    const { choice, ready, otherModel, isNamedMissing } = model
    const settings = deps.settings()
    const transcript = createMemoryTranscript([userItem(randomUUID(), task.question, guardMode)])
    const hooks = createTurnHooks({
      hooks: deps.hooks?.(),
      transcript,
      conversationId: options.conversation,
      caller: () => ({ client: deps.attended() ? 'window' : 'commandLine', mode: options.mode() }),
      signal,
      isSubAgent: true,
    })
    const toolsFor = (profile: PromptProfile) =>
      maxTurns > 1 && maxToolCalls > 0 ? allowedTools(options.toolsFor(profile), task.tools, calls) : []
    const tools = toolsFor('full')
    const compaction = createConversationCompaction(deps, {
      conversation: options.conversation,
      transcript,
      profileFor: options.profileFor,
      promptFor: (profile) => ({ profile, system: task.system, tools: toolsFor(profile) }),
      model: choice.model,
      ready,
      signal,
    })
    const client = deps.features.budget
      ? createContextRetryClient(
          ready.client,
          async () => ({ ...(await compaction.request()), text: '' }),
          compaction.refused,
        )
      : ready.client
    // Requests to another server leave the prompt of the conversation in the cache.
    const prompt =
      ready.cache === options.ready.cache ? await ready.cache?.keep(options.conversation, signal) : undefined
    /** Instructions, tools and the question do not count: they are the same for every budget. */
    let lastPrompt: number | undefined
    const { outcome, problem = '' } = await runLoop({
      transcript,
      model: choice.model,
      request: () => {
        used.turns += 1
        return compaction.request()
      },
      stream: ({ messages, tools: sent, againstRepetition }) =>
        boundedAnswer(
          client.stream({
            model: choice.model,
            messages,
            tools: sent,
            temperature: settings.temperature,
            contextWindow: ready.contextWindow,
            isAside: true,
            ...(againstRepetition && { againstRepetition }),
            conversation: options.conversation,
            ...(sent.length === 0 && task.answerSchema && { answerSchema: task.answerSchema }),
            signal,
          }),
          ({ promptTokens, completionTokens }) => {
            used.tokens += Math.max(0, promptTokens - (lastPrompt ?? promptTokens)) + completionTokens
            lastPrompt = promptTokens + completionTokens
          },
        ),
      ...createCallHandlers(task, { transcript, tools, calls, used }),
      maxRequests: maxTurns,
      guards: withLimits(createGuards(deps.features), task, used),
      mode: () => guardMode,
      beforeEnd: hooks.beforeEnd,
      signal,
    }).finally(() => prompt && unlessAborted(prompt.restore(), signal))
    signal.throwIfAborted()
    const lostTokens = prompt?.kept === 'lost' ? prompt.tokens : 0
    return {
      ...used,
      ...endOf(outcome, transcript),
      problem,
      ...(otherModel && { otherModel }),
      ...(isNamedMissing && { isNamedMissing }),
      ...(lostTokens > 0 && { lostTokens }),
    }
  }
}

/** Guards treat an announced call as a promise in every mode but plan mode. */
const guardMode = 'safe'

function endOf(outcome: string, transcript: Transcript): Pick<SubAgentResult, 'ended' | 'text'> {
  if (outcome === 'endpoint_failed' || outcome === 'cancelled') return { ended: 'failed', text: '' }
  if (outcome === 'turn_limit' || outcome === 'stuck' || outcome === 'repeating') return { ended: 'limit', text: '' }
  const answer = transcript.items().findLast((item) => item.kind === 'assistant')
  return { ended: 'answered', text: answer?.text ?? '' }
}

interface SubAgentModel extends Pick<SubAgentResult, 'otherModel' | 'isNamedMissing'> {
  choice: ModelChoice
  ready: ReadyModel
}

/**
 * Returns the user's model for sub-agents. Without one, the model that the task names if it may be used, otherwise the
 * conversation's.
 */
async function readyModel(
  deps: AgentDeps,
  { choice, ready, other, meter }: SubAgentOptions,
  name: string | undefined,
  signal: AbortSignal,
): Promise<SubAgentModel | { problem: string }> {
  const isNamed = !other && name !== undefined && name !== inheritedModel
  const wanted = other ?? (isNamed ? await deps.namedModel?.(name, choice, signal) : undefined)
  if (!wanted || isDeepStrictEqual(wanted, choice))
    return { choice, ready, ...(isNamed && !wanted && { isNamedMissing: true }) }
  try {
    const model = await deps.model(wanted, signal)
    return {
      choice: wanted,
      ready: { ...model, client: meter?.count(model.client, wanted) ?? model.client },
      otherModel: { model: wanted.model, server: deps.serverName?.(wanted) ?? wanted.endpointId },
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { problem: `${error.message} ${error.hint}`.trim() }
  }
}

/**
 * Adds a hint to the last result of an answer at a limit, because chat templates allow no user message there. Ends a
 * sub-agent that keeps making calls.
 */
function withLimits(guards: Guards, { maxTurns, maxToolCalls, maxTokens }: SubAgentTask, used: Used): Guards {
  /** The requests that were sent when a limit was reached. */
  let reachedAt: number | undefined
  return {
    ...guards,
    afterCall(items) {
      const repetition = guards.afterCall(items)
      const open = items.some((item) => item.kind === 'tool' && item.result === undefined)
      if (open) return repetition
      if (used.toolCalls >= maxToolCalls || used.tokens >= maxTokens) reachedAt ??= used.turns
      if (reachedAt === undefined && used.turns !== maxTurns - 1) return repetition
      const warning = [repetition?.warning, noMoreCalls].filter(Boolean).join(' ')
      const isIgnored = reachedAt !== undefined && used.turns >= reachedAt + extraRequests
      return {
        ...repetition,
        warning,
        ...(isIgnored && { stop: 'It made more calls after its limit was reached.' }),
      }
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
    if (event.kind === 'discarded') length = 0
    if (event.kind === 'text' || event.kind === 'reasoning') length += event.text.length
    if (length > maxAnswer)
      throw new ModelError(
        'bad_response',
        `The model did not finish its answer within ${plural(maxAnswer, 'character')}.`,
        'Use another model.',
      )
    yield event
  }
}
