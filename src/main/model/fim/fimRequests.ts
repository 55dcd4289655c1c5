import {
  fimFamily,
  allFimTokens,
  readAnswer,
  splitTokens,
  type FimChunk,
  type FimFamily,
  type FimFile,
} from './fimPromptFormats.ts'
import type { OllamaLoading } from '../transport/serverAccess.ts'
import { isRecord } from '../transport/modelErrors.ts'

/** The format of a request to fill in the middle of a text. */
export type FimFormat =
  /** llama.cpp. */
  | { kind: 'infill' }
  /** Ollama, for a model whose template has `.Suffix`. */
  | { kind: 'ollamaSuffix' }
  /** Ollama with a prompt of the model's family. */
  | { kind: 'ollamaRaw'; family: FimFamily }
  /** `/v1/completions` with `suffix`. */
  | { kind: 'suffix' }
  /** `/v1/completions` with a prompt of the model's family. */
  | { kind: 'raw'; family: FimFamily }

/** A position to complete, with its context. */
export interface FimRequest {
  file: FimFile
  /** Excerpts from elsewhere, in the order of the prompt. */
  chunks: readonly FimChunk[]
  /** Indentation of the cursor's line, in columns. */
  indent: number
  maxTokens: number
  /** Maximum time for generating, in milliseconds. Only llama.cpp supports it. */
  predictMs: number
}

/** Describes a format for the user. */
export function describeFormat(format: FimFormat): string {
  switch (format.kind) {
    case 'infill':
      return "llama.cpp's /infill"
    case 'ollamaSuffix':
      return "Ollama's /api/generate with a suffix"
    case 'ollamaRaw':
      return `Ollama's /api/generate with the prompt format of ${format.family.name}`
    case 'suffix':
      return '/v1/completions with a suffix'
    case 'raw':
      return `/v1/completions with the prompt format of ${format.family.name}`
  }
}

/**
 * Converts a request to a path below the server's root and a body.
 * @param loading how Ollama loads the model
 */
export function fimBody(
  format: FimFormat,
  model: string,
  request: FimRequest,
  loading?: OllamaLoading,
): { path: string; body: object } {
  const { file, chunks, indent, maxTokens, predictMs } = request
  switch (format.kind) {
    case 'infill': {
      // llama.cpp inserts `prompt` after the suffix, so that everything before it stays the same while the user types a
      // line.
      const { earlier, line } = splitAtLine(file.before)
      return {
        path: '/infill',
        body: {
          model,
          input_prefix: earlier,
          prompt: isBlank(line) ? '' : line,
          input_suffix: file.after,
          input_extra: chunks.map(({ path, text }) => ({ filename: path, text })),
          n_predict: maxTokens,
          ...(indent > 0 && { n_indent: indent }),
          t_max_predict_ms: predictMs,
          top_k: 40,
          top_p: 0.99,
          samplers: ['top_k', 'top_p', 'infill'],
          cache_prompt: true,
          stream: true,
        },
      }
    }
    case 'ollamaSuffix':
      return {
        path: '/api/generate',
        body: {
          model,
          prompt: withComments(file, chunks),
          suffix: nonEmpty(file.after),
          stream: true,
          ...loading?.keepAlive,
          options: { num_predict: maxTokens, ...ollamaSampling, ...sizeOption(loading) },
        },
      }
    case 'ollamaRaw':
    case 'raw':
      return rawBody(
        format.kind === 'raw' ? 'openai' : 'ollama',
        model,
        {
          prompt: familyPrompt(format.family, file, chunks),
          // OpenAI's API accepts four stop sequences; some servers enforce it.
          stop: format.family.tokens.slice(0, 4),
          maxTokens,
        },
        loading,
      )
    case 'suffix':
      return {
        path: '/v1/completions',
        body: {
          model,
          prompt: withComments(file, chunks),
          suffix: nonEmpty(file.after),
          max_tokens: maxTokens,
          temperature: 0,
          stream: true,
        },
      }
  }
}

/**
 * Builds the request for a prompt with control tokens.
 * @param loading how Ollama loads the model
 */
export function rawBody(
  kind: 'openai' | 'ollama',
  model: string,
  { prompt, stop, maxTokens }: { prompt: string; stop: readonly string[]; maxTokens: number },
  loading?: OllamaLoading,
): { path: string; body: object } {
  if (kind === 'openai')
    return {
      path: '/v1/completions',
      body: { model, prompt, max_tokens: maxTokens, temperature: 0, stop, stream: true },
    }
  const options = { num_predict: maxTokens, ...ollamaSampling, stop, ...sizeOption(loading) }
  return { path: '/api/generate', body: { model, prompt, raw: true, stream: true, ...loading?.keepAlive, options } }
}

/** Turns off Ollama's default penalty for text that the code before the cursor already contains. */
const ollamaSampling = { temperature: 0, repeat_penalty: 1 }
const sizeOption = (loading: OllamaLoading | undefined) => loading && { num_ctx: loading.contextWindow }

function splitAtLine(before: string): { earlier: string; line: string } {
  const start = before.lastIndexOf('\n') + 1
  return { earlier: before.slice(0, start), line: before.slice(start) }
}

const isBlank = (line: string): boolean => line.trim() === ''

/** Ollama and others treat an empty suffix as absent, and continue the prompt as prose. */
const nonEmpty = (suffix: string): string => (suffix === '' ? '\n' : suffix)

function familyPrompt(family: FimFamily, file: FimFile, chunks: readonly FimChunk[]): string {
  const clean = (text: string) => splitTokens(text, family)
  return family.prompt(
    { path: file.path, before: clean(file.before), after: clean(file.after) },
    chunks.map(({ path, text }) => ({ path, text: clean(text) })),
  )
}

/** Puts chunks before the prefix as comments, because the server's template does not support other files. */
function withComments({ path, before }: FimFile, chunks: readonly FimChunk[]): string {
  const comment = commentPrefix(path)
  const lines = chunks.flatMap((chunk) => [chunk.path, ...chunk.text.trimEnd().split('\n'), ''])
  return `${lines.map((line) => `${comment} ${line}`.trimEnd()).join('\n')}${lines.length > 0 ? '\n' : ''}${before}`
}

const hashComments = /\.(py|rb|sh|bash|zsh|ya?ml|toml|r|pl|ps1|jl|ex|exs|tf|cmake|mk)$|(^|\/)(Makefile|Dockerfile)$/i
const dashComments = /\.(sql|lua|hs|elm|ada)$/i
function commentPrefix(path: string): string {
  if (hashComments.test(path)) return '#'
  return dashComments.test(path) ? '--' : '//'
}

/** Reads one JSON object of an answer. `end`: set in the last one, with the reason. */
export function fimChunk(
  kind: FimFormat['kind'],
  chunk: Record<string, unknown>,
): { text: string; end?: 'stop' | 'length' } {
  const read = (source: Record<string, unknown>, field: string, last: boolean, cut: boolean) => ({
    text: typeof source[field] === 'string' ? source[field] : '',
    ...(last && { end: cut ? ('length' as const) : ('stop' as const) }),
  })
  switch (kind) {
    case 'infill':
      return read(chunk, 'content', chunk['stop'] === true, chunk['stop_type'] === 'limit')
    case 'ollamaSuffix':
    case 'ollamaRaw':
      return read(chunk, 'response', chunk['done'] === true, chunk['done_reason'] === 'length')
    case 'suffix':
    case 'raw': {
      const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
      if (!isRecord(choice)) return { text: '' }
      const reason = choice['finish_reason']
      return read(choice, 'text', typeof reason === 'string', reason === 'length')
    }
  }
}

/** Returns the text to insert at the cursor: the answer up to its first control token. */
export function fimText(format: FimFormat, { file }: Pick<FimRequest, 'file'>, answer: string): string {
  const text = readAnswer(answer, 'family' in format ? format.family : { tokens: allFimTokens })
  const { line } = splitAtLine(file.before)
  // The request omitted the indentation before the cursor, because models continue whole tokens better.
  return format.kind === 'infill' && isBlank(line) ? withoutIndent(text, line.length) : text
}

function withoutIndent(text: string, columns: number): string {
  let at = 0
  while (at < columns && (text[at] === ' ' || text[at] === '\t')) at += 1
  return text.slice(at)
}

/** Returns the format that takes a raw prompt; undefined for an unknown family. */
export function rawFormat(kind: 'openai' | 'ollama', model: string): FimFormat | undefined {
  const family = fimFamily(model)
  return family && { kind: kind === 'ollama' ? 'ollamaRaw' : 'raw', family }
}
