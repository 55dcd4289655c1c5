import { writeFile } from 'node:fs/promises'

// Writes a GGUF of under 1 MB with random weights and a vocabulary of bytes, ASCII and some words, for tests of model
// files. It answers nonsense, but through a real tokenizer, a real chat template and llama.cpp.

export interface TinyModelOptions {
  /** Context length in the metadata, in tokens. */
  contextLength?: number
  architecture?: string
  /** Number of parameters in the metadata, as text: "135M". */
  sizeLabel?: string
  /**
   * Whether the model begins each answer to a user's message with `<tool_call>`. It never does after a tool result.
   * What follows is random in any case.
   */
  callsTools?: boolean
  /** A value of llama.cpp's `llama_pooling_type`, which makes it an embedding model (1: mean) or a reranker (4). */
  pooling?: number
  /** Replaces the chat template. Null: the model has none. */
  chatTemplate?: string | null
  /** A further token of the vocabulary. */
  extraToken?: string
}

const embedding = 64
const layers = 2
const heads = 4
const feedForward = 128

/** Types of tokens in llama.cpp's `llama_token_type`. */
const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 } as const

/** Words of prompts. Each is also in the vocabulary with all its beginnings, which the tokenizer merges in order. */
const words =
  `the and that this with from for are not you your can use file files tool tools path line lines text name arguments
  string integer boolean optional default answer search read write edit command folder directory content code function
  call result error user model only before after which when each first list message number`.split(/\s+/)

/** The tool call opener, and the ends of a generation prompt: before a first answer and after a tool result. */
const opener = '<tool_call>'
const [beforeCall, beforeAnswer] = ['<|assistant|>', '<|answer|>']

const template = [
  '{{ bos_token }}',
  "{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] + '<|end|>' }}{% endfor %}",
  "{% if add_generation_prompt %}{% if '<tool_response>' in messages[-1]['content'] %}",
  `{{ '${beforeAnswer}' }}{% else %}{{ '${beforeCall}' }}{% endif %}{% endif %}`,
].join('')

interface Token {
  text: string
  type: number
  score: number
}

function vocabulary(extra: string | undefined): Token[] {
  const tokens: Token[] = [
    { text: '<unk>', type: tokenTypes.unknown, score: 0 },
    { text: '<s>', type: tokenTypes.control, score: 0 },
    { text: '</s>', type: tokenTypes.control, score: 0 },
  ]
  for (let byte = 0; byte < 256; byte++)
    tokens.push({ text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, type: tokenTypes.byte, score: 0 })
  if (extra !== undefined) tokens.push({ text: extra, type: tokenTypes.control, score: 0 })
  for (const text of ['<|system|>', '<|user|>', '<|end|>', beforeCall, beforeAnswer])
    tokens.push({ text, type: tokenTypes.control, score: 0 })
  for (const text of [opener, '</tool_call>']) tokens.push({ text, type: tokenTypes.userDefined, score: 0 })
  for (let code = 0x21; code < 0x7f; code++)
    tokens.push({ text: String.fromCharCode(code), type: tokenTypes.normal, score: -1000 })
  tokens.push({ text: '▁', type: tokenTypes.normal, score: -1000 })
  // Tokenization merges the pair with the highest score first, so longer pieces have higher scores.
  const pieces = new Set(words.flatMap((word) => [...beginnings(word), ...beginnings(`▁${word}`)]))
  for (const text of pieces) tokens.push({ text, type: tokenTypes.normal, score: text.length - 100 })
  return tokens
}

function beginnings(word: string): string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(0, at + 2))
}

/** Channels of the embedding that make some tokens likely after others. The rest is random. */
const channels = { always: 0, call: 1, answer: 2, quote: 3 } as const

function weights(
  tokens: readonly Token[],
  callsTools: boolean,
): { name: string; shape: number[]; data: Float32Array }[] {
  let seed = 7
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 4294967296 - 0.5
  }
  const tensor = (name: string, shape: number[], scale: number) => {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1))
    for (let at = 0; at < data.length; at++) data[at] = scale === 1 ? 1 : random() * scale
    return { name, shape, data }
  }
  const input = tensor('token_embd.weight', [embedding, tokens.length], 0.3)
  const output = tensor('output.weight', [embedding, tokens.length], 0.2)
  for (const [id, { text, type }] of tokens.entries()) {
    const at = id * embedding
    for (const channel of Object.values(channels)) input.data[at + channel] = output.data[at + channel] = 0
    input.data[at + channels.always] = 1
    if (text === beforeCall) input.data[at + (callsTools ? channels.call : channels.answer)] = 4
    if (text === beforeAnswer) input.data[at + channels.answer] = 4
    if (text === '"') input.data[at + channels.quote] = 4
    // Never generate bytes, which may not be text, or control tokens.
    if (type !== tokenTypes.normal) output.data[at + channels.always] = -3
    if (text === opener) output.data[at + channels.call] = 4
    if (text === '"') output.data[at + channels.quote] = 3
    if (text === '</s>') output.data[at + channels.always] = 0.15
    if (text === '</s>') output.data[at + channels.answer] = -3
  }
  const tensors = [input, tensor('output_norm.weight', [embedding], 1), output]
  for (let layer = 0; layer < layers; layer++) {
    const add = (name: string, shape: number[], scale = 0.05) =>
      tensors.push(tensor(`blk.${layer}.${name}.weight`, shape, scale))
    add('attn_norm', [embedding], 1)
    for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) add(name, [embedding, embedding])
    add('ffn_norm', [embedding], 1)
    add('ffn_gate', [embedding, feedForward])
    add('ffn_up', [embedding, feedForward])
    add('ffn_down', [feedForward, embedding])
  }
  return tensors
}

/** Writes the model. @returns its path */
export async function writeTinyModel(path: string, options: TinyModelOptions = {}): Promise<string> {
  const {
    contextLength = 32_768,
    architecture = 'llama',
    sizeLabel,
    callsTools = true,
    pooling,
    chatTemplate = template,
    extraToken,
  } = options
  const tokens = vocabulary(extraToken)
  const tensors = weights(tokens, callsTools)
  const metadata: [string, Buffer][] = [
    ['general.architecture', text(architecture)],
    ['general.name', text('Tiny random')],
    ...(sizeLabel === undefined ? [] : [['general.size_label', text(sizeLabel)] satisfies [string, Buffer]]),
    [`${architecture}.context_length`, u32(contextLength)],
    [`${architecture}.embedding_length`, u32(embedding)],
    [`${architecture}.block_count`, u32(layers)],
    [`${architecture}.feed_forward_length`, u32(feedForward)],
    [`${architecture}.attention.head_count`, u32(heads)],
    [`${architecture}.attention.head_count_kv`, u32(heads)],
    [`${architecture}.attention.layer_norm_rms_epsilon`, f32(1e-5)],
    [`${architecture}.rope.dimension_count`, u32(embedding / heads)],
    ...(pooling === undefined ? [] : [[`${architecture}.pooling_type`, u32(pooling)] satisfies [string, Buffer]]),
    [`${architecture}.vocab_size`, u32(tokens.length)],
    ['tokenizer.ggml.model', text('llama')],
    [
      'tokenizer.ggml.tokens',
      list(
        8,
        tokens.map((token) => string(token.text)),
      ),
    ],
    [
      'tokenizer.ggml.scores',
      list(
        6,
        tokens.map((token) => float(token.score)),
      ),
    ],
    [
      'tokenizer.ggml.token_type',
      list(
        5,
        tokens.map((token) => uint(token.type)),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', u32(1)],
    ['tokenizer.ggml.eos_token_id', u32(2)],
    ['tokenizer.ggml.unknown_token_id', u32(0)],
    ['tokenizer.ggml.add_bos_token', Buffer.concat([uint(7), Buffer.from([0])])],
    ['tokenizer.ggml.add_space_prefix', Buffer.concat([uint(7), Buffer.from([0])])],
    ...(chatTemplate === null ? [] : [['tokenizer.chat_template', text(chatTemplate)] satisfies [string, Buffer]]),
  ]
  let offset = 0
  const infos: Buffer[] = []
  const data: Buffer[] = []
  for (const { name, shape, data: values } of tensors) {
    infos.push(Buffer.concat([string(name), uint(shape.length), ...shape.map(long), uint(0), long(offset)]))
    const bytes = padded(Buffer.from(values.buffer))
    data.push(bytes)
    offset += bytes.length
  }
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint(3),
    long(tensors.length),
    long(metadata.length),
    ...metadata.map(([key, value]) => Buffer.concat([string(key), value])),
    ...infos,
  ])
  await writeFile(path, Buffer.concat([padded(head), ...data]))
  return path
}

// Values of GGUF, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. A metadata value begins with its type.
const uint = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
const string = (value: string): Buffer => Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)])
const u32 = (value: number): Buffer => Buffer.concat([uint(4), uint(value)])
const f32 = (value: number): Buffer => Buffer.concat([uint(6), float(value)])
const text = (value: string): Buffer => Buffer.concat([uint(8), string(value)])
const list = (type: number, values: readonly Buffer[]): Buffer =>
  Buffer.concat([uint(9), uint(type), long(values.length), ...values])
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)])
