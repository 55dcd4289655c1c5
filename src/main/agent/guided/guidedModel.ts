import type { Usage } from '../../../shared/agent/conversation.ts'
import type { JsonSchema } from '../../../shared/tools/tool.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent, TokenLikelihood } from '../../model/modelClient.ts'
import { parseObject } from '../../model/clients/validHistory.ts'

/** An alternative with the logarithm of its likelihood. */
export interface Ranked<T extends string> {
  name: T
  score: number
}

/** `againstRepetition`: the previous answer repeated itself. */
export type WriteOptions = Pick<ChatRequest, 'againstRepetition'>

/** The questions of a guided turn. Each is a separate request with a short prompt. @throws ModelError, AbortError */
export interface GuidedModel {
  /**
   * Compares how likely the model continues `begun`, the beginning of its answer, with each alternative.
   * @returns undefined if the server reports no likelihoods
   */
  likelihoods<T extends string>(
    messages: readonly ChatMessage[],
    begun: string,
    alternatives: readonly T[],
  ): Promise<Ranked<T>[] | undefined>
  /**
   * Returns the tokens that could continue `begun`, with their likelihoods.
   * @returns undefined if the server reports none
   */
  tokens(messages: readonly ChatMessage[], begun: string): Promise<readonly TokenLikelihood[] | undefined>
  /** Requests an object that matches the schema. @returns an empty object if the answer is not an object */
  fill(messages: readonly ChatMessage[], schema: JsonSchema): Promise<Record<string, unknown>>
  /**
   * Continues `begun`, the beginning of its answer, up to the end of the JSON string in which it ends.
   * @returns undefined if the string does not end, or the server cannot continue an answer
   */
  endString(messages: readonly ChatMessage[], begun: string): Promise<string | undefined>
  /** Streams a short text. */
  write(messages: readonly ChatMessage[], options?: WriteOptions): AsyncGenerator<ModelEvent, void, void>
  /** Streams an answer of the conversation. The next prompt extends this one. */
  talk(messages: readonly ChatMessage[], options?: WriteOptions): AsyncGenerator<ModelEvent, void, void>
  /** Restores the conversation's prompt in its slot. Call it after the last question of a turn. */
  end(): Promise<void>
  /** Returns the total usage since the last call of this method; undefined without requests. */
  takeUsage(): Usage | undefined
}

/** Maximum length of an object and of a text, in tokens. */
const maxObjectTokens = 1500
const maxTextTokens = 400
/** Maximum length of the rest of a line, in tokens. */
const maxStringTokens = 100
/** Log likelihood assumed for alternatives outside the reported tokens. */
const unlikely = -20
/** Number of tokens to report. Servers with a lower limit report fewer. */
const topTokens = 200

/**
 * @param keep saves the prompt of the conversation before the first short prompt, for a server with one slot, and returns
 *   a function that restores it
 */
export function createGuidedModel(
  client: ModelClient,
  base: Omit<ChatRequest, 'messages' | 'tools' | 'isAside'>,
  keep?: () => Promise<{ restore(): Promise<void> } | undefined>,
): GuidedModel {
  let kept: { restore(): Promise<void> } | undefined
  let sum: Usage | undefined
  const add = (usage: Usage) => {
    sum = {
      ...usage,
      promptTokens: (sum?.promptTokens ?? 0) + usage.promptTokens,
      completionTokens: (sum?.completionTokens ?? 0) + usage.completionTokens,
      cachedTokens: (sum?.cachedTokens ?? 0) + (usage.cachedTokens ?? 0),
    }
  }
  async function* stream(request: Partial<ChatRequest>): AsyncGenerator<ModelEvent, void, void> {
    for await (const event of client.stream({ ...base, messages: [], tools: [], thinking: 'off', ...request })) {
      if (event.kind === 'usage') add(event.usage)
      else if (event.kind !== 'finish') yield event
    }
  }
  async function* send(
    messages: readonly ChatMessage[],
    change: Partial<ChatRequest>,
  ): AsyncGenerator<ModelEvent, void, void> {
    kept ??= await keep?.()
    yield* stream({ ...change, messages: [...messages], isAside: true })
  }
  const end = async (): Promise<void> => {
    await kept?.restore()
    kept = undefined
  }

  let reportsNone = false
  const tokens: GuidedModel['tokens'] = async (messages, begun) => {
    if (reportsNone) return undefined
    const prompt: ChatMessage[] = begun === '' ? [...messages] : [...messages, { role: 'assistant', content: begun }]
    let found: readonly TokenLikelihood[] | undefined
    for await (const event of send(prompt, { topTokens, maxTokens: 1 }))
      if (event.kind === 'likelihoods') found ??= event.tokens
    reportsNone = !found
    return found
  }

  return {
    tokens,
    async likelihoods(messages, begun, alternatives) {
      const next = await tokens(messages, begun)
      return next && rank(next, alternatives)
    },
    async fill(messages, answerSchema) {
      let text = ''
      let reasoning = ''
      for await (const event of send(messages, { answerSchema, maxTokens: maxObjectTokens }))
        if (event.kind === 'text') text += event.text
        else if (event.kind === 'reasoning') reasoning += event.text
        else if (event.kind === 'discarded' || event.kind === 'wasReasoning') text = reasoning = ''
      // LM Studio reports the whole answer of a reasoning model as reasoning.
      return parseObject(text) ?? parseObject(reasoning) ?? {}
    },
    async endString(messages, begun) {
      let text = ''
      const prompt: ChatMessage[] = [...messages, { role: 'assistant', content: begun }]
      for await (const event of send(prompt, { topTokens: 1, maxTokens: maxStringTokens }))
        if (event.kind === 'text') text += event.text
      // llama-server repeats the beginning of the answer.
      const rest = text.startsWith(begun) ? text.slice(begun.length) : text
      const [, inside] = /^((?:[^"\\]|\\.)*)"/s.exec(rest) ?? []
      return inside === undefined ? undefined : parseString(inside)
    },
    write: (messages, options) => send(messages, { maxTokens: maxTextTokens, ...options }),
    async *talk(messages, options) {
      await end()
      yield* stream({ messages: [...messages], maxTokens: maxTextTokens, ...options })
    },
    end,
    takeUsage() {
      const taken = sum
      sum = undefined
      return taken
    },
  }
}

/** Parses the inside of a JSON string. */
function parseString(inside: string): string | undefined {
  const { text } = parseObject(`{"text":"${inside}"}`) ?? {}
  return typeof text === 'string' ? text : undefined
}

/**
 * Sums the likelihoods of the tokens that begin each alternative. A token that begins several alternatives counts for
 * none of them.
 */
export function rank<T extends string>(tokens: readonly TokenLikelihood[], alternatives: readonly T[]): Ranked<T>[] {
  const begins = (token: string, name: string) => token !== '' && (name.startsWith(token) || token.startsWith(name))
  const clear = tokens.filter(({ token }) => alternatives.filter((name) => begins(token, name)).length === 1)
  return alternatives.map((name) => {
    const likelihood = clear
      .filter(({ token }) => begins(token, name))
      .reduce((all, { logprob }) => all + Math.exp(logprob), 0)
    return { name, score: Math.max(unlikely, Math.log(likelihood)) }
  })
}
