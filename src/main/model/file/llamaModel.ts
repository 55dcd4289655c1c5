import type { Template } from '@huggingface/jinja'
import type { Llama, LlamaContextSequence, LlamaGrammar, LlamaModel, Token } from 'node-llama-cpp'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { asSentence } from '../../base/asSentence.ts'
import { log } from '../../base/log/log.ts'
import { ModelError, type TokenLikelihood } from '../modelClient.ts'
import { callOpener } from './answerGrammar.ts'
import type { ModelFileChat, ModelFileOptions, ModelFileUsage } from './modelFileMessages.ts'
import { modelName } from './modelFileParts.ts'
import { openInLlama } from './openInLlama.ts'
import { createSavedPrompts } from './savedPrompts.ts'

// A model file in llama.cpp. Runs in its own process (modelFileProcess.ts), because native code can crash.

/** A model in memory. */
export interface LoadedModel {
  count(text: string): number
  /**
   * Streams an answer.
   * @throws ModelError, TemplateRefusal
   */
  chat(chat: ModelFileChat, signal: AbortSignal): AsyncGenerator<ChatEvent, ModelFileUsage, void>
}

export type ChatEvent = { text: string } | { status: string } | { likelihoods: TokenLikelihood[] }

/** The chat template of a model refused the messages. */
export class TemplateRefusal extends Error {
  override readonly name = 'TemplateRefusal'
}

/**
 * Number of prompt tokens evaluated between two checks for cancellation, each with a status. After a chunk that took
 * less than `chunkMs` milliseconds, the size doubles: a processor reads small chunks as fast as large ones, a graphics
 * card does not.
 */
const minChunk = 64
const maxChunk = 512
const chunkMs = 500

/** Against repetition: the minimum temperature, and the number of recent tokens to make unlikely. */
const variedTemperature = 0.7
const punishedTokens = 64

/** ChatML, which most models without their own template understand. */
const defaultTemplate =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{{ '<|im_start|>assistant\\n' }}"

/**
 * Loads a model.
 * @param onProgress receives the loaded share, from 0 to 1
 * @throws ModelError `no_model` if the file is damaged or unknown to llama.cpp, or is too large for the memory
 */
export async function loadModelFile(
  options: ModelFileOptions,
  onProgress: (share: number) => void,
): Promise<LoadedModel> {
  const { contextSize } = options
  const { Template: ChatTemplate } = await import('@huggingface/jinja')
  const { LlamaGrammarEvaluationState } = await import('node-llama-cpp')
  const { llama, model, header, refuse } = await openInLlama(options, onProgress)
  let template: Template
  try {
    template = new ChatTemplate(model.fileInfo.metadata.tokenizer.chat_template ?? defaultTemplate)
  } catch (error) {
    return refuse(unreadableTemplate(options.file, error))
  }
  const context = await model.createContext({ contextSize, sequences: 1 }).catch(refuse)
  const savedPrompts = createSavedPrompts({ context, file: options.stateFile, bytesPerToken: header.cachePerToken })
  const compile = createCompiler(llama)

  async function* chat(request: ModelFileChat, signal: AbortSignal): AsyncGenerator<ChatEvent, ModelFileUsage, void> {
    const prompt = promptTokens(model, template, request)
    if (prompt.length + 1 >= contextSize) throw promptTooLong(prompt.length, contextSize)
    const answerGrammar = await compile(request.answerGrammars)
    const grammar = answerGrammar ?? (await compile(request.grammars))
    const sequence = await savedPrompts.prepare(prompt, request.isAside)
    signal.throwIfAborted()
    const begun = performance.now()
    const { pending, cached } = yield* evaluatePrompt(sequence, prompt, signal)
    if (request.topTokens !== undefined) {
      yield { likelihoods: await firstTokens(model, sequence, pending, request.topTokens) }
      return {
        promptTokens: prompt.length,
        cachedTokens: cached,
        completionTokens: 1,
        promptMs: performance.now() - begun,
        generationMs: 0,
        finish: 'length',
      }
    }
    const maxTokens = Math.min(request.maxTokens ?? Infinity, contextSize - prompt.length - 1)
    let state = answerGrammar && new LlamaGrammarEvaluationState({ model, grammar: answerGrammar })
    const answerTokens: Token[] = []
    const options = {
      temperature: request.temperature,
      ...(request.topP !== undefined && { topP: request.topP }),
      ...(request.topK !== undefined && { topK: request.topK }),
      ...(request.minP !== undefined && { minP: request.minP }),
      ...((request.presencePenalty !== undefined || request.repeatPenalty !== undefined) && {
        repeatPenalty: {
          punishTokens: () => answerTokens.slice(-punishedTokens),
          penalty: request.repeatPenalty ?? 1,
          presencePenalty: request.presencePenalty ?? 0,
        },
      }),
      grammarEvaluationState: () => state,
      ...(request.againstRepetition && {
        temperature: Math.max(variedTemperature, request.temperature),
        repeatPenalty: { punishTokens: () => answerTokens.slice(-punishedTokens), penalty: 1.1 },
        dryRepeatPenalty: { strength: 0.8, lastTokens: 1024 },
      }),
    }
    const text = new TokenDecoder<Token>((tokens, before) => model.detokenize(tokens, true, before))
    let firstAt = performance.now()
    let completionTokens = 0
    let answer = ''
    let next: Token[] | undefined = pending
    while (next !== undefined) {
      const input: Token[] = next
      next = undefined
      for await (const token of sequence.evaluate(input, options)) {
        if (signal.aborted) break
        completionTokens++
        if (completionTokens === 1) firstAt = performance.now()
        if (request.againstRepetition) answerTokens.push(token)
        const piece = text.push(token)
        answer += piece
        if (piece) yield { text: piece }
        if (completionTokens >= maxTokens) break
        const end = state === undefined && grammar ? openerEnd(answer, piece.length) : undefined
        if (end === undefined || !grammar) continue
        // The grammar begins after the opener, so text that follows it in the same token must be written again.
        state = new LlamaGrammarEvaluationState({ model, grammar })
        const kept = end - (answer.length - piece.length)
        next = kept === piece.length ? [token] : model.tokenize(piece.slice(0, kept), true)
        break
      }
      signal.throwIfAborted()
    }
    const rest = text.end()
    if (rest) yield { text: rest }
    return {
      promptTokens: prompt.length,
      cachedTokens: cached,
      completionTokens,
      promptMs: firstAt - begun,
      generationMs: performance.now() - firstAt,
      finish: completionTokens >= maxTokens ? 'length' : 'stop',
    }
  }

  return { count: (text) => model.tokenize(text).length, chat }
}

/** Returns a function that compiles the first grammar that llama.cpp accepts, and keeps the last one. */
function createCompiler(llama: Llama): (sources: readonly string[]) => Promise<LlamaGrammar | undefined> {
  const grammars = new Map<string, LlamaGrammar>()
  const refused = new Set<string>()

  return async (sources) => {
    for (const source of sources) {
      const known = grammars.get(source)
      if (known) return known
      if (refused.has(source)) continue
      try {
        const grammar = await llama.createGrammar({ grammar: source })
        grammars.clear()
        grammars.set(source, grammar)
        return grammar
      } catch (error) {
        // llama.cpp limits the complexity of grammars. The next one is simpler.
        refused.add(source)
        log.warn(`llama.cpp refused a grammar: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    return undefined
  }
}

/** Reads the last tokens of a prompt. @returns the most likely tokens after it, the best first */
async function firstTokens(
  model: LlamaModel,
  sequence: LlamaContextSequence,
  pending: Token[],
  count: number,
): Promise<TokenLikelihood[]> {
  const options = { temperature: 0, yieldEogToken: true }
  for await (const { probabilities } of sequence.evaluateWithMetadata(pending, { probabilities: true }, options)) {
    const best = [...probabilities].toSorted(([, one], [, other]) => other - one).slice(0, count)
    const before = pending.slice(-contextTokens)
    return best.map(([token, likelihood]) => ({
      token: model.detokenize([token], true, before),
      logprob: Math.log(likelihood),
    }))
  }
  return []
}

function promptTokens(model: LlamaModel, template: Template, request: ModelFileChat): Token[] {
  const bos = model.tokens.bosString ?? ''
  const last = request.messages.at(-1)
  const begun = request.topTokens !== undefined && last?.role === 'assistant' ? last.content : ''
  let text: string
  try {
    text = template.render({
      messages: begun === '' ? request.messages : request.messages.slice(0, -1),
      add_generation_prompt: true,
      bos_token: bos,
      eos_token: model.tokens.eosString ?? '',
      ...request.templateVariables,
    })
  } catch (error) {
    throw new TemplateRefusal(error instanceof Error ? error.message : String(error), { cause: error })
  }
  // Some templates always begin with thinking.
  const isThinking = request.templateVariables?.['enable_thinking'] === false && /<think>\s*$/.test(text)
  const tokens = model.tokenize(`${text}${isThinking ? '\n</think>\n\n' : ''}${begun}`, true)
  const { bos: first, shouldPrependBosToken } = model.tokens
  return shouldPrependBosToken && first !== null && tokens[0] !== first ? [first, ...tokens] : tokens
}

/**
 * Evaluates a prompt, except for the start that it shares with the last one.
 * @returns the tokens left for the first step, and the number of tokens that were already in the context
 */
async function* evaluatePrompt(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, { pending: Token[]; cached: number }, void> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
  const cached = sequence.nextTokenIndex
  let at = cached
  let chunk = minChunk
  while (prompt.length - at > chunk) {
    signal.throwIfAborted()
    const share = Math.round((100 * (at - cached)) / (prompt.length - cached))
    yield { status: `Processing the prompt (${share}%)…` }
    const begun = performance.now()
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(at, at + chunk))
    at += chunk
    if (performance.now() - begun < chunkMs) chunk = Math.min(maxChunk, chunk * 2)
  }
  signal.throwIfAborted()
  return { pending: prompt.slice(at), cached }
}

/** Returns the end of an opener that the last piece of an answer completes; undefined if it completes none. */
function openerEnd(answer: string, pieceLength: number): number | undefined {
  const from = Math.max(0, answer.length - pieceLength - callOpener.length + 1)
  const at = answer.indexOf(callOpener, from)
  return at === -1 ? undefined : at + callOpener.length
}

function unreadableTemplate(file: string, error: unknown): ModelError {
  const problem = asSentence(error instanceof Error ? error.message : String(error))
  return new ModelError(
    'no_model',
    `The chat template in ${modelName(file)} cannot be read: ${problem}`,
    'Select another file of this model, or serve it with llama-server.',
    { cause: error },
  )
}

function promptTooLong(prompt: number, window: number): ModelError {
  return new ModelError(
    'context_exceeded',
    `The prompt has ${plural(prompt, 'token')}, but the context size is ${formatNumber(window)}.`,
    'Increase the context window of this endpoint in the settings, or start a new conversation.',
    { excess: { prompt, window } },
  )
}

/** Maximum number of tokens for one character: its bytes. */
const maxHeld = 4
/** Number of preceding tokens that the tokenizer needs to decide about spaces. */
const contextTokens = 8

/** Converts a stream of tokens to text. Holds back tokens that end inside a character. */
class TokenDecoder<Token> {
  readonly #detokenize: (tokens: readonly Token[], before: readonly Token[]) => string
  #held: Token[] = []
  #before: Token[] = []

  constructor(detokenize: (tokens: readonly Token[], before: readonly Token[]) => string) {
    this.#detokenize = detokenize
  }

  /** @returns the text that is complete now; '' inside a character */
  push(token: Token): string {
    this.#held.push(token)
    const text = this.#detokenize(this.#held, this.#before)
    if (text.endsWith('\ufffd') && this.#held.length < maxHeld) return ''
    this.#before = [...this.#before, ...this.#held].slice(-contextTokens)
    this.#held = []
    return text
  }

  /** @returns what is held back */
  end(): string {
    const text = this.#held.length > 0 ? this.#detokenize(this.#held, this.#before) : ''
    this.#held = []
    return text
  }
}
