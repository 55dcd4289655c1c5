import { allFeatures } from '../../base/features.ts'
import type { ReasoningReplay } from '../../../shared/settings/settings.ts'
import { nativeToolsChoice } from './modelOptions.ts'
import { reasoningReplay } from './reasoningReplay.ts'
import type { Usage } from '../../../shared/agent/conversation.ts'
import { mayLackTools, sizeOf } from '../tokens/promptTruncationDetection.ts'
import { toolSupportHint, unreadableCallsHint } from '../transport/errorHints.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { Refusal, RefusalCause } from './refusal.ts'
import { compatibleMessages, toolsHash, type RequestCompat } from './requestCompat.ts'
import type { ChatRequest, ChatTool, ModelEvent, PromptRequest } from '../modelClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import { createCompatStore } from './compatStore.ts'

/** The format that most models accept. */
export const defaultCompat: RequestCompat = { tools: 'native', system: 'own', roles: 'any' }

/** Adapts the requests of one client to what its models accept. */
export interface RequestAdapter {
  /** Returns the request in the format that its model is known to accept. */
  adapt<R extends PromptRequest>(request: R): R
  /** Learns another format from a rejected request. @returns whether to send the request again */
  learnFromRefusal(request: ChatRequest, refusal: Refusal): boolean
  /** Returns the reasoning to send back to a model. */
  reasoningReplay(model: string): ReasoningReplay
  /** Whether to check if the server dropped the tools of a request that was answered without a call. */
  mayDropTools(request: ChatRequest, usage: Usage): boolean
  /** Stores whether the server drops tools. @param dropped undefined if the server does not report prompt sizes */
  learnToolsDropped(request: ChatRequest, dropped: boolean | undefined): void
  /** Returns notices that explain why the prompt describes the tools; empty for native tool calls. */
  notices(request: ChatRequest, target: RequestTarget): ModelEvent[]
}

export function createRequestAdapter({
  baseUrl,
  features,
  textPrompt,
  optionsOf,
  infoOf,
  compatStore = createCompatStore(),
}: ClientOptions): RequestAdapter {
  const hasTextPrompt = textPrompt !== undefined && { ...allFeatures, ...features }.textPrompt
  /** Whether a model has native tool calls. The user's setting overrides the server's report. */
  const hasTools = (model: string) => nativeToolsChoice(optionsOf?.(model)) ?? infoOf?.(model)?.tools
  const compatOf = ({ model, tools }: PromptRequest): RequestCompat =>
    forTools(compatStore.get(baseUrl, model) ?? initialCompat(hasTools(model), hasTextPrompt), tools)
  return {
    adapt: (request) => ({
      ...request,
      ...compatibleMessages(request, compatOf(request), textPrompt ?? (() => '')),
    }),
    learnFromRefusal(request, refusal) {
      const compat = compatAfterRefusal(compatOf(request), request, refusal, hasTextPrompt)
      if (compat) compatStore.set(baseUrl, request.model, compat)
      return compat !== undefined
    },
    reasoningReplay: (model) =>
      compatStore.get(baseUrl, model)?.reasoning ? 'conversation' : reasoningReplay(model, infoOf?.(model)),
    mayDropTools(request, usage) {
      const { tools, toolsChecked } = compatOf(request)
      const isUnknown = hasTextPrompt && tools === 'native' && !toolsChecked && hasTools(request.model) === undefined
      if (!isUnknown || request.messages.some((message) => 'images' in message)) return false
      return mayLackTools({ ...sizeOf(request), reported: usage.estimated ? 0 : usage.promptTokens })
    },
    learnToolsDropped(request, dropped) {
      const format = dropped ? { tools: 'text' as const, toolsDropped: true as const } : {}
      compatStore.set(baseUrl, request.model, { ...compatOf(request), ...format, toolsChecked: true })
    },
    notices(request, target) {
      const { tools, grammarFailed, toolsDropped, unreadable, refusal } = compatOf(request)
      if (tools === 'native') return []
      const isUsersChoice = nativeToolsChoice(optionsOf?.(request.model)) === false
      const problem = grammarFailed
        ? `${target.name} cannot compile a grammar from the parameters of the tools.`
        : toolsDropped
          ? `${target.name} drops the tools of a request.`
          : unreadable
            ? `${target.name} cannot read the calls of ${request.model}.`
            : isUsersChoice
              ? `Native tool calls of ${request.model} on ${target.name} are turned off.`
              : `${request.model} on ${target.name} has no native tool calls.`
      const hint = grammarFailed
        ? 'If MCP servers added tools, turn them off.'
        : isUsersChoice
          ? "To use native calls, change the model's options in the settings of its endpoint."
          : `${unreadable ? unreadableCallsHint(target) : toolSupportHint(target, refusal)} If the server changed, search for model servers again in the settings.`
      const effect = 'The tools are described in the prompt, and calls are read from the answer text.'
      const why = grammarFailed ? 'grammar' : toolsDropped ? 'dropped' : unreadable ? 'unreadable' : 'unsupported'
      return [{ kind: 'toolsAsText', text: `${problem} ${effect} ${hint}`, hint, why }]
    },
  }
}

/** Returns the format for a request with these tools. If the grammar of other tools failed, theirs may still work. */
function forTools(compat: RequestCompat, tools: readonly ChatTool[]): RequestCompat {
  const { grammarFailed } = compat
  if (!grammarFailed || tools.length === 0 || grammarFailed.includes(toolsHash(tools))) return compat
  return { ...compat, tools: 'native' }
}

/**
 * Returns the format for the first request.
 * @param hasTools whether the model has native tool calls. Some servers drop the tools of others without an error
 */
function initialCompat(hasTools: boolean | undefined, hasTextPrompt: boolean): RequestCompat {
  return hasTextPrompt && hasTools === false ? { ...defaultCompat, tools: 'text' } : defaultCompat
}

/**
 * Returns the format to try after a server rejected a request; undefined if no other format would help. Each step moves
 * further from the default, so a request is sent at most eight times.
 */
export function compatAfterRefusal(
  compat: RequestCompat,
  request: ChatRequest,
  { causes, text }: Refusal,
  textPrompt: boolean,
): RequestCompat | undefined {
  const asText =
    textPrompt && compat.tools === 'native' && usesTools(request) ? { ...compat, tools: 'text' as const } : undefined
  const ownSystem = compat.system === 'own' && request.messages.some(({ role }) => role === 'system')
  const systemInUser = ownSystem ? { ...compat, system: 'inUser' as const } : undefined
  const hasCalls = usesNativeCalls(compat, request)
  /** The next format for each cause; undefined if there is none. */
  const next: Record<RefusalCause, () => RequestCompat | undefined> = {
    effort: () => undefined,
    noTools: () => asText && { ...asText, refusal: text },
    severalCalls: () => (hasCalls && compat.calls === undefined ? { ...compat, calls: 'one' } : undefined),
    missingReasoning: () =>
      hasCalls && compat.reasoning === undefined ? { ...compat, reasoning: 'required' } : undefined,
    callIds: () => (hasCalls && compat.ids === undefined ? { ...compat, ids: 'nine' } : undefined),
    emptyText: () => (hasCalls && compat.emptyText === undefined ? { ...compat, emptyText: 'newline' } : undefined),
    systemRole: () => systemInUser,
    alternation: () => (compat.roles === 'any' ? { ...compat, roles: 'alternating' } : (asText ?? systemInUser)),
    grammar: () =>
      request.tools.length > 0 && asText
        ? { ...asText, grammarFailed: [...(compat.grammarFailed ?? []), toolsHash(request.tools)] }
        : undefined,
    grammarWhileWriting: () => undefined,
    unreadableAnswer: () => asText && { ...asText, unreadable: true },
    template: () => asText ?? systemInUser,
  }
  // Even in the format that its template demands, a request may fail for another reason.
  const cause = causes.find((each) => !templateDemands.includes(each) || next[each]() !== undefined)
  return cause && next[cause]()
}

const templateDemands: readonly RefusalCause[] = ['missingReasoning', 'severalCalls', 'callIds', 'emptyText']

function usesNativeCalls(compat: RequestCompat, { messages }: ChatRequest): boolean {
  return (
    compat.tools === 'native' &&
    messages.some((message) => message.role === 'assistant' && message.toolCalls !== undefined)
  )
}

function usesTools({ tools, messages }: ChatRequest): boolean {
  return tools.length > 0 || messages.some((message) => message.role === 'tool')
}
