import type { ContextUse } from '../../shared/agent/contextUse.ts'
import type { ConversationItem, ModelChoice, TurnCost, TurnOutcome } from '../../shared/agent/conversation.ts'
import { plural } from '../../shared/text/plural.ts'
import { profileTexts } from '../../shared/agent/profileTexts.ts'
import type { PromptProfile } from '../../shared/agent/promptProfile.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { ModelError, type ModelClient, type ModelEvent } from '../model/modelClient.ts'
import type { GuidedCalibration } from '../model/endpoints/guidedCalls.ts'
import { debuggerTable } from '../debug/debuggerTable.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import { createCheckpointing, type Checkpointing } from './conversation/checkpointing.ts'
import { promptProfile, subAgentProfileFor } from '../../shared/agent/contextAllocation.ts'
import { createContextRetryClient } from './context/contextRetryClient.ts'
import { addLateErrors } from './context/truncateTranscript.ts'
import { createGuidedModel, type WriteOptions } from './guided/guidedModel.ts'
import type { GuidedFolder } from './guided/guidedFolder.ts'
import { createGuidedTurn } from './guided/guidedTurn.ts'
import { debugTool, offeredActs, toolsetCalls } from './guided/toolsetCalls.ts'
import { createGuards } from './guards/turnGuards.ts'
import { createConversationRequests, type ConversationRequests } from './conversationRequests.ts'
import { withInstructions } from './conversation/applicableInstructions.ts'
import { noticeItem } from './conversation/items.ts'
import { runLoop, type LoopDeps } from './loop.ts'
import { createSubAgent } from './subAgent.ts'
import { createCostMeter, type CostMeter } from './turnCost.ts'
import { createTurnHooks, type TurnHooks } from './turnHooks.ts'
import { toolsetChanges } from './toolsetChanges.ts'
import type { Transcript, TurnConversation } from './conversation/transcript.ts'
import { addTurnReview, userMessages } from './conversation/turnReview.ts'

/** A turn whose model is available. */
interface Turn extends ConversationRequests {
  deps: AgentDeps
  conversation: TurnConversation
  choice: ModelChoice
  ready: ReadyModel
  meter: CostMeter
  signal: AbortSignal
}

/**
 * Runs one turn of a conversation.
 * @param onModelChosen receives the default model if the conversation has no model yet
 * @param task `compact` summarizes the conversation and sends no other request
 * @throws what `runLoop` throws
 */
export async function runConversation(
  deps: AgentDeps,
  conversation: TurnConversation,
  onModelChosen: (model: ModelChoice) => void,
  signal: AbortSignal,
  task: 'turn' | 'compact' = 'turn',
): Promise<TurnOutcome> {
  await deps.settingsApplied?.()
  const { info, transcript } = conversation
  const choice = info.model ?? deps.defaultModel()
  if (!choice) {
    const { message, next } = deps.noModelReason()
    transcript.put(noticeItem('error', `${message} ${next} You can also take the tour.`, 'settings'))
    return 'endpoint_failed'
  }
  if (!info.model) onModelChosen(choice)
  const hooks = createTurnHooks({
    hooks: deps.hooks?.(),
    transcript,
    conversationId: info.id,
    caller: () => ({ client: deps.attended() ? 'window' : 'commandLine', mode: conversation.info.mode }),
    signal,
  })
  if (task === 'turn' && !(await passesHooks(hooks, signal))) return signal.aborted ? 'cancelled' : 'stuck'
  const checkpointing = createCheckpointing({
    conversationId: info.id,
    transcript,
    checkpoints: deps.checkpoints,
    signal,
  })
  let ready: ReadyModel
  let problems: string[]
  try {
    const choosing = deps.model(choice, signal)
    const starting = deps.toolsReady?.(signal, 'turn', () => transcript.note('Starting MCP servers…'))
    // Handled below, after the model's failure.
    starting?.catch(() => undefined)
    // Builds the tool descriptions while the server answers. The first time, this takes several milliseconds.
    deps.chatTools(conversation.info.toolset, 'full')
    ready = await choosing
    problems = (await starting) ?? []
  } catch (error) {
    return modelFailed(error, transcript, signal)
  } finally {
    transcript.note(undefined)
  }
  const started = transcript.items().length
  const meter = createCostMeter(deps.energyMeter)
  try {
    return await runReady(createTurn(deps, conversation, choice, ready, meter, signal), {
      checkpointing,
      hooks,
      problems,
      task,
    })
  } finally {
    const cost = await meter.close()
    // A compaction belongs to no answer.
    if (task === 'turn') addTurnCost(transcript, started, cost)
  }
}

/** Adds what a turn took to its last answer. @param before number of items at its start */
function addTurnCost(transcript: Transcript, before: number, cost: TurnCost): void {
  const answer = transcript
    .items()
    .slice(before)
    .findLast((item) => item.kind === 'assistant')
  if (answer !== undefined && cost.requests > 0) transcript.put({ ...answer, cost })
}

interface TurnTask {
  checkpointing: Checkpointing
  hooks: TurnHooks
  /** Messages about servers whose tools are missing. */
  problems: readonly string[]
  task: 'turn' | 'compact'
}

/** Runs a turn whose model is available. */
async function runReady(turn: Turn, { checkpointing, hooks, problems, task }: TurnTask): Promise<TurnOutcome> {
  const { deps, conversation, ready, signal } = turn
  const { transcript } = conversation
  const { toolset } = conversation.info
  // Compares the tools of the full profile, because a smaller profile only leaves out tools from the prompt.
  for (const item of toolsetChanges(transcript, deps.chatTools(toolset, 'full'), problems, deps)) transcript.put(item)
  try {
    // Guided turns send neither instructions nor tools.
    if (!ready.guided) await warnBeforeFirstRequest(turn)
  } catch (error) {
    if (signal.aborted) return 'cancelled'
    throw error
  }
  if (task === 'compact') return compactNow(turn)
  const turns = userMessages(transcript.items()).slice(-1)
  const { outcome } = await runLoop(loopDeps(turn, checkpointing, hooks))
  await checkpointing.finish()
  await addTurnReview(deps, transcript, turns[0])
  return outcome
}

/** Whether the hooks of the folder let the message pass. */
async function passesHooks(hooks: TurnHooks, signal: AbortSignal): Promise<boolean> {
  try {
    return await hooks.checkMessages()
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

function createTurn(
  deps: AgentDeps,
  conversation: TurnConversation,
  choice: ModelChoice,
  model: ReadyModel,
  meter: CostMeter,
  signal: AbortSignal,
): Turn {
  const ready = { ...model, client: meter.count(model.client, choice) }
  // Read only now, because choosing the model may have changed the toolset.
  const { info, transcript } = conversation
  const requests = createConversationRequests(deps, {
    info,
    mode: firstMode(transcript.items()) ?? info.mode,
    transcript,
    choice,
    ready,
    signal,
  })
  return { deps, conversation, choice, ready, meter, signal, ...requests }
}

/** Warns in a new conversation if instructions, tools and message do not fit the model's context. */
async function warnBeforeFirstRequest(turn: Turn): Promise<void> {
  const { deps, conversation, choice, ready, compaction, signal } = turn
  const { transcript } = conversation
  const users = transcript.items().filter((item) => item.kind === 'user')
  if (users.length !== 1 || !users[0]) return
  await turn.injectInstructions(signal)
  const { system, tools } = compaction.prompt()
  const warning = deps.promptSizeWarning(
    choice,
    ready,
    withInstructions(system, transcript.items()),
    tools,
    users[0].text,
  )
  if (warning) transcript.put(noticeItem('warning', warning, 'contextSize'))
}

function loopDeps(turn: Turn, checkpointing: Checkpointing, hooks: TurnHooks): LoopDeps {
  const { deps, conversation, choice, ready, meter, compaction, signal } = turn
  const { info, transcript } = conversation
  const { toolset } = info
  const settings = deps.settings()
  const attended = deps.attended()
  const nextRequest = async () => {
    const { messages, tools, use } = await compaction.request()
    deps.emit('conversation.context', { conversationId: info.id, context: use })
    return { messages: turn.withImages(messages), tools, use }
  }
  const modelClient = attended ? withUrgentStart(ready.client) : ready.client
  const guidedAnswer =
    ready.guided && deps.guidedFolder && createGuidedAnswers(turn, modelClient, ready.guided, deps.guidedFolder)
  const client = deps.features.budget
    ? createContextRetryClient(
        modelClient,
        async (refusal) => {
          const request = await nextRequest()
          return { ...request, text: refittedText(choice.model, refusal, request.use) }
        },
        compaction.refused,
      )
    : modelClient
  const subAgentOptions = {
    conversation: info.id,
    mode: () => conversation.info.mode,
    choice,
    ready,
    other: settings.subAgentModel ?? undefined,
    meter,
    toolsFor: (profile: PromptProfile) => deps.chatTools(toolset, profile),
    profileFor: (window: number) => promptProfile(info.profile, settings.profile, window, subAgentProfileFor),
  }
  return {
    transcript,
    model: choice.model,
    request: async () => {
      if (guidedAnswer) return { messages: [], tools: [] }
      await turn.injectInstructions(signal)
      addLateErrors(transcript, () => deps.executor.takeLateErrors(info.id))
      return nextRequest()
    },
    stream({ messages, tools, againstRepetition }) {
      if (info.mode !== 'plan') {
        checkpointing.prepare()
        deps.prepareCommands?.()
      }
      if (guidedAnswer) return guidedAnswer({ ...(againstRepetition && { againstRepetition }) })
      return client.stream({
        model: choice.model,
        messages,
        tools,
        temperature: settings.temperature,
        contextWindow: ready.contextWindow,
        ...(againstRepetition && { againstRepetition }),
        conversation: info.id,
        signal,
      })
    },
    prepareCall({ id, name, arguments: written }) {
      const { onlyReads, runsInParallel, run } = deps.executor.prepare({ name, arguments: written, toolset })
      return {
        onlyReads,
        runsInParallel: runsInParallel(conversation.info.mode),
        run: (observer) =>
          run({
            callId: id,
            conversationId: info.id,
            mode: conversation.info.mode,
            attended,
            subAgent: (calls) => createSubAgent(deps, subAgentOptions, calls),
            beforeChange: checkpointing.beforeChange,
            turn: userMessages(transcript.items()).at(-1)?.id,
            ...observer,
          }),
      }
    },
    ...(conversation.calls && { calls: conversation.calls }),
    reviewNote: () =>
      deps.review?.()?.takeNote(new Set(userMessages(transcript.items()).map(({ id: message }) => message))),
    maxRequests: settings.maxTurns,
    guards: createGuards(
      guidedAnswer
        ? { guards: true, nudge: false }
        : {
            ...deps.features,
            canDebug: () =>
              deps.features.debugHint && deps.chatTools(toolset, 'full').some(({ name }) => name === 'debug_run'),
          },
    ),
    mode: () => conversation.info.mode,
    takeSteered: async () => conversation.takeSteered() && hooks.checkMessages(),
    beforeEnd: hooks.beforeEnd,
    signal,
  }
}

/** Lets a small model choose its calls step by step. @returns a function that streams the next answer */
function createGuidedAnswers(
  { deps, conversation: { info, transcript }, choice, ready, signal }: Turn,
  client: ModelClient,
  { biases }: GuidedCalibration,
  folder: GuidedFolder,
): (options: WriteOptions) => AsyncIterable<ModelEvent> {
  const model = createGuidedModel(
    client,
    {
      model: choice.model,
      temperature: 0,
      contextWindow: ready.contextWindow,
      conversation: info.id,
      signal,
    },
    async () => ready.cache?.keep(info.id, signal),
  )
  const calls = toolsetCalls[info.toolset]
  const tools = new Set(deps.chatTools(info.toolset, 'full').map(({ name }) => name))
  const offered = offeredActs(calls, tools)
  const canDebug = (file: string): boolean =>
    tools.has(debugTool) && debuggerTable.some(({ files }) => files?.test(file) === true)
  // In YOLO mode, the user does not want to be asked.
  const waitsForSteps = deps.windowed?.() === true && info.mode !== 'yolo'
  return createGuidedTurn({
    model,
    biases,
    calls,
    offered,
    canDebug,
    folder,
    items: transcript.items,
    waitsForSteps,
    signal,
  })
}

/** The first answer of a turn is the one that a person waits for, so it starts before those of other conversations. */
function withUrgentStart(client: ModelClient): ModelClient {
  let isFirst = true
  return {
    ...client,
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      for await (const event of client.stream({ ...request, ...(isFirst && { urgency: 'person' }) })) {
        // A refused request is sent again in another form.
        if (event.kind !== 'status') isFirst = false
        yield event
      }
    },
  }
}

/** Returns the notice about a request that the server rejected as too long. */
function refittedText(model: string, { excess }: ModelError, { window, profile }: ContextUse): string {
  const size = plural(window, 'token')
  const found =
    excess?.window === undefined
      ? `The server rejected the request as too long without reporting its context size. Tizona now assumes ${size} for ${model}.`
      : `The server reports a context size of ${size} for ${model}.`
  return `${found} The conversation is shortened to fit and uses the prompt profile "${profileTexts[profile].label}".`
}

async function compactNow({ compaction, conversation: { transcript }, signal }: Turn): Promise<TurnOutcome> {
  try {
    const summary = await compaction.compact()
    if (!summary) transcript.put(noticeItem('info', 'There is nothing to summarize yet.'))
    return 'done'
  } catch (error) {
    return modelFailed(error, transcript, signal)
  } finally {
    transcript.note(undefined)
  }
}

/** Shows a notice about a failed request. @throws errors that are neither a cancellation nor a ModelError */
function modelFailed(error: unknown, transcript: Transcript, signal: AbortSignal): TurnOutcome {
  if (signal.aborted) return 'cancelled'
  if (!(error instanceof ModelError)) throw error
  transcript.put(noticeItem('error', `${error.message}\n${error.hint}`.trim(), 'settings'))
  return 'endpoint_failed'
}

/**
 * Returns the mode in which the conversation started. The system prompt keeps it, so that servers can reuse the prompt.
 */
function firstMode(items: readonly ConversationItem[]): Mode | undefined {
  return items.find((item) => item.kind === 'user')?.mode
}
