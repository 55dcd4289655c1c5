import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { ContextUse } from '../../shared/contextUse.ts'
import type { ConversationInfo, ConversationItem, ModelChoice, TurnOutcome } from '../../shared/conversation.ts'
import { profileNames, type PromptProfile } from '../../shared/promptProfile.ts'
import type { Mode } from '../../shared/risk.ts'
import { plural } from '../../shared/plural.ts'
import { ModelError, type ChatMessage } from '../model/clients/modelClient.ts'
import { createCheckpointing } from './checkpointing.ts'
import type { Compaction } from './context/compaction.ts'
import { createConversationCompaction } from './context/conversationCompaction.ts'
import { fittingClient } from './context/contextFitClient.ts'
import { promptProfile } from './context/contextAllocation.ts'
import { createSubAgent } from './subAgent.ts'
import { createGuards } from './guards/turnGuards.ts'
import { loadImages } from './messageImages.ts'
import { noticeItem, runTurn, type Transcript } from './loop.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import { systemPrompt } from './systemPrompt.ts'
import { createInstructionInjection, withInstructions } from './instructionInjection.ts'
import { toolsetChanges } from './toolsetChanges.ts'

/**
 * Runs a turn of a conversation with what its model, its mode and the settings ask for.
 * @param conversation its `info` is read again before every call, so that a change by the user holds from the next one on
 * @param chosen told the model when the conversation had none yet
 * @param task `compact`: nothing is asked but a summary of what was said so far
 * @throws what `runTurn` throws
 */
export async function runConversation(
  deps: AgentDeps,
  conversation: { readonly info: ConversationInfo; readonly transcript: Transcript; takeSteered(): boolean },
  chosen: (model: ModelChoice) => void,
  signal: AbortSignal,
  task: 'turn' | 'compact' = 'turn',
): Promise<TurnOutcome> {
  const settings = deps.settings()
  const { info, transcript } = conversation
  const choice = info.model ?? deps.defaultModel()
  if (!choice) {
    transcript.put(
      noticeItem(
        'error',
        'No model is chosen. Start a local server (Ollama, LM Studio, llama.cpp, vLLM) and pick its model, or take the tour.',
        'settings',
      ),
    )
    return 'endpoint_failed'
  }
  if (!info.model) chosen(choice)
  let ready: ReadyModel
  let problems: string[]
  try {
    ready = await deps.model(choice, signal)
    problems = (await deps.toolsReady?.(signal, () => transcript.note('Starting MCP servers…'))) ?? []
    transcript.note(undefined)
  } catch (error) {
    if (signal.aborted) return 'cancelled'
    if (!(error instanceof ModelError)) throw error
    transcript.put(noticeItem('error', `${error.message}\n${error.hint}`, 'settings'))
    return 'endpoint_failed'
  }
  // Read anew: the choice of a model may have brought its toolset.
  const { toolset } = conversation.info
  const promptOf = (profile: PromptProfile) =>
    systemPrompt({
      workspaceName: basename(deps.root()),
      platform: process.platform,
      mode: firstMode(transcript.items()) ?? info.mode,
      profile,
      custom: settings.systemPrompt,
    })
  const compaction = createConversationCompaction(deps, {
    transcript,
    profileFor: (window) => promptProfile(info.profile, settings.profile, window),
    form: (profile) => ({ profile, system: promptOf(profile), tools: deps.chatTools(toolset, profile) }),
    model: choice.model,
    ready,
    signal,
  })
  // Compared whole: another profile offers fewer tools, and no tool is gone.
  for (const item of toolsetChanges(transcript, deps.chatTools(toolset, 'full'), problems)) transcript.put(item)
  // Its questions are conversations of their own, with the tools they name.
  const allTools = deps.chatTools(toolset, 'full')
  const tell = createInstructionInjection({
    instructions: deps.instructions(),
    transcript,
    contextWindow: ready.contextWindow,
    skills: compaction.form().tools.some((tool) => tool.name === 'load_skill'),
  })
  const users = transcript.items().filter((item) => item.kind === 'user')
  if (users.length === 1 && users[0]) {
    try {
      await tell(signal)
    } catch (error) {
      if (signal.aborted) return 'cancelled'
      throw error
    }
    const { system, tools } = compaction.form()
    const warning = deps.fitWarning(choice, ready, withInstructions(system, transcript.items()), tools, users[0].text)
    if (warning) transcript.put(noticeItem('warning', warning, 'contextSize'))
  }
  if (task === 'compact') return compactNow(compaction, transcript, signal)
  const withImages = (messages: ChatMessage[]) => loadImages(messages, deps.images, deps.sees(choice) !== false)
  const nextRequest = async () => {
    const { messages, tools, use } = await compaction.request()
    deps.emit('conversation.context', { conversationId: info.id, context: use })
    return { messages: withImages(messages), tools, use }
  }
  return runTurn({
    conversationId: info.id,
    transcript,
    client: deps.features.budget
      ? fittingClient(ready.client, async (refusal) => {
          compaction.refused(refusal)
          const request = await nextRequest()
          return { ...request, text: refittedText(choice.model, refusal, request.use) }
        })
      : ready.client,
    model: choice.model,
    request: async () => {
      await tell(signal)
      return nextRequest()
    },
    temperature: settings.temperature,
    contextWindow: ready.contextWindow,
    executor: deps.executor,
    subAgent: (calls) =>
      createSubAgent(
        {
          client: ready.client,
          model: choice.model,
          temperature: settings.temperature,
          contextWindow: ready.contextWindow,
          tools: allTools,
        },
        calls,
      ),
    beforeChange: createCheckpointing({ conversationId: info.id, transcript, checkpoints: deps.checkpoints, signal }),
    toolset,
    mode: () => conversation.info.mode,
    attended: deps.attended(),
    maxTurns: settings.maxTurns,
    guards: createGuards(deps.features),
    takeSteered: () => conversation.takeSteered(),
    signal,
    newId: randomUUID,
  })
}

/** What the user learns when a request was too long for a server that had not named its model's context size. */
function refittedText(model: string, { excess }: ModelError, { window, profile }: ContextUse): string {
  const size = `${plural(window, 'token')}`
  const found =
    excess?.window === undefined
      ? `The server refused the request as too long and named no context size. Tizona now assumes ${size} for ${model}.`
      : `The context size of ${model} is ${size}, its server says.`
  return `${found} The conversation is shortened to fit and uses the prompt profile “${profileNames[profile]}”.`
}

async function compactNow(compaction: Compaction, transcript: Transcript, signal: AbortSignal): Promise<TurnOutcome> {
  try {
    const summary = await compaction.compact()
    if (!summary) transcript.put(noticeItem('info', 'There is nothing to summarise yet.'))
    return 'done'
  } catch (error) {
    if (signal.aborted) return 'cancelled'
    if (!(error instanceof ModelError)) throw error
    transcript.put(noticeItem('error', `${error.message}\n${error.hint}`.trim(), 'settings'))
    return 'endpoint_failed'
  } finally {
    transcript.note(undefined)
  }
}

/** The mode the conversation began in. */
function firstMode(items: readonly ConversationItem[]): Mode | undefined {
  return items.find((item) => item.kind === 'user')?.mode
}
