import { errorText, ownWords } from '../transport/errorBody.ts'
import { effortPattern, hasOtherCause, noToolsPatterns } from '../transport/modelErrors.ts'
import type { ChatRequest } from '../modelClient.ts'

// Reads why a server rejected a request. Servers have no codes for it, so their texts decide. A misreading has lasting
// effects: all later requests to the model would use a format that it does not need. So the patterns match only texts
// that servers really send, and only the server's own words.

/** The server rejected the format of a request. */
export interface Refusal {
  /** The server's own words, without quotations from the request, an answer or a template. */
  text: string
  /** Most specific first. */
  causes: readonly RefusalCause[]
}

/** Why another format of the request may be accepted. */
export type RefusalCause =
  /** The server or the template does not know the reasoning effort. */
  | 'effort'
  /** The model or its server has no native tool calls. */
  | 'noTools'
  /** Messages with calls need their reasoning. */
  | 'missingReasoning'
  /** The template accepts one call per message. */
  | 'severalCalls'
  /** Call ids must have nine letters and digits. */
  | 'callIds'
  /** The template fails on an empty text beside calls, which llama-server passes to it as null. */
  | 'emptyText'
  /** User and assistant must alternate. */
  | 'alternation'
  | 'systemRole'
  /** The server cannot compile a grammar from a schema. The same request always fails. */
  | 'grammar'
  /** The grammar broke while the model wrote. The same request may succeed. */
  | 'grammarWhileWriting'
  /** The server cannot parse what the model wrote as a call. The same request may succeed. */
  | 'unreadableAnswer'
  /** A role is unknown, or the template fails for another reason. */
  | 'template'

/**
 * Error texts of servers, by cause. Specific causes come before general ones.
 *
 * Grammars: llama-server (`common_sampler_init` in tools/server, common/json-schema-to-grammar.cpp, ggml-org/llama.cpp
 * issues 14227, 22396, 23990 and 26930), also inside LM Studio's errors (lmstudio-bug-tracker issue 2236); vLLM
 * (v1/structured_output: backend_xgrammar.py, backend_guidance.py); SGLang (srt/constrained: grammar_manager.py);
 * Ollama (llm/server.go). Grammars while writing: llama.cpp issues 12597, 15608 and 27619. Templates: llama.cpp's
 * models/templates, its engines minja and common/jinja.
 */
const signs: readonly { cause: RefusalCause; patterns: readonly RegExp[] }[] = [
  // First: a template reports it as its failure, with which another format would not help.
  { cause: 'effort', patterns: [effortPattern] },
  { cause: 'noTools', patterns: noToolsPatterns },
  // Moonshot's and DeepSeek's own servers, and gateways to them.
  {
    cause: 'missingReasoning',
    patterns: [
      /reasoning_content\W{0,4}.{0,40}(is missing|is required|must be (passed|provided))|missing.{0,30}reasoning_content/i,
    ],
  },
  { cause: 'severalCalls', patterns: [/only supports? single tool[- ]?calls?/i] },
  { cause: 'callIds', patterns: [/tool call ids? should be alphanumeric strings with length 9/i] },
  { cause: 'emptyText', patterns: [/\bon null\b|\bin null\b|null has no|NoneType/i] },
  {
    cause: 'systemRole',
    patterns: [/system (role|message)s? (is |are )?not supported|does not support system|system role/i],
  },
  {
    cause: 'alternation',
    patterns: [/roles? must alternate|must alternate between|alternat\w{1,10} user\/assistant|user\/assistant\/user/i],
  },
  {
    cause: 'grammar',
    patterns: [
      /failed to (parse|compile|initiali[sz]e) .{0,20}grammar|error parsing grammar/i,
      /failed to initiali[sz]e samplers/i,
      /JSON schema conversion failed|unrecognized schema/i,
      /not supported by xgrammar|failed to transform json schema into|invalid grammar specification/i,
      /^(ValueError: )?grammar error:/im,
      /grammar compilation failed|invalid grammar request/i,
    ],
  },
  { cause: 'grammarWhileWriting', patterns: [/unexpected empty grammar stack/i] },
  // common/chat.cpp in llama.cpp. Ollama: server/routes.go, model/parsers.
  { cause: 'unreadableAnswer', patterns: [/model produced output that does not match the expected/i] },
  {
    cause: 'template',
    patterns: [
      /(unexpected|unknown|unsupported|invalid|only) .{0,40}\brole/i,
      /jinja|minja|chat[ _-]?template(?!_kwargs| is not supported)|unable to generate parser for this template|TemplateError/i,
      /Value is not callable|at row \d+, column \d+/i,
    ],
  },
]

const statuses: readonly number[] = [400, 422, 500, 501]

/**
 * Reads a rejection.
 * @param status the HTTP status, or the one in an error that the server streamed
 * @param body the error response
 * @returns undefined if the server failed for a reason other than the request's format: memory, a context that is too
 *   small, a model that is not loaded
 */
export function readRefusal(
  status: number,
  body: string,
  { messages }: Pick<ChatRequest, 'messages'>,
): Refusal | undefined {
  if (!statuses.includes(status)) return undefined
  const text = withoutQuotations(ownWords(errorText(body)), messages)
  if (hasOtherCause(status, text, body)) return undefined
  const causes = signs
    .filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
    .map(({ cause }) => cause)
  // At the start of an answer the grammar fails each time (llama.cpp issue 23990).
  return {
    text,
    causes: causes.includes('grammar') ? causes.filter((cause) => cause !== 'grammarWhileWriting') : causes,
  }
}

/** Leaves out quotations of the messages, in whatever format the server quotes. */
function withoutQuotations(text: string, messages: ChatRequest['messages']): string {
  const isQuoted = (words: string) =>
    messages.some(({ content }) => content.includes(words) || JSON.stringify(content).includes(words))
  return text.replace(/"[^"]{21,}"|'[^']{21,}'|`[^`]{21,}`/g, (quotation) =>
    isQuoted(quotation.slice(1, -1)) ? '' : quotation,
  )
}
