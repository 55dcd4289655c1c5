/**
 * A model family that can fill in the middle of a text, with the tokens that its maker publishes. Used for servers that
 * take a raw prompt. The first family whose pattern matches the name of a model applies.
 */
export interface FimFamily {
  name: string
  /** Matches names of models, in lower case. */
  match: RegExp
  /** Where the maker documents the format. */
  source: string
  /** Builds the prompt. @param file text before and after the cursor, which contains no token of the family */
  prompt(file: FimFile, chunks: readonly FimChunk[]): string
  /** Control tokens. An answer ends at the first of them. Text of files must not contain them. */
  tokens: readonly string[]
}

/** The text around the cursor. */
export interface FimFile {
  path: string
  before: string
  after: string
}

/** An excerpt from elsewhere, as context. */
export interface FimChunk {
  path: string
  text: string
}

/** Prefix, suffix, middle: the order of most models. */
function prefixFirst(prefix: string, suffix: string, middle: string): (file: FimFile) => string {
  return ({ before, after }) => `${prefix}${before}${suffix}${after}${middle}`
}

/** Chunks as files of a repository: a separator, the path and the text. */
function files(separator: string, chunks: readonly FimChunk[]): string {
  return chunks.map(({ path, text }) => `${separator}${path}\n${withNewline(text)}`).join('')
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** Puts chunks before the text, as llama.cpp does for models without tokens for several files. */
const plainFiles = (chunks: readonly FimChunk[]): string =>
  chunks.map(({ path, text }) => `# ${path}\n${withNewline(text)}\n`).join('')

const starCoder = prefixFirst('<fim_prefix>', '<fim_suffix>', '<fim_middle>')
const starCoderTokens = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>', '<fim_pad>', '<|endoftext|>']
const piped = prefixFirst('<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>')
const pipedTokens = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|fim_pad|>', '<|endoftext|>']

export const fimFamilies: readonly FimFamily[] = [
  {
    name: 'Seed-Coder',
    match: /seed-?coder/,
    source: 'https://arxiv.org/abs/2506.03524 (section 2.2)',
    // This format puts the suffix first.
    prompt: ({ before, after }, chunks) =>
      `<[fim-suffix]>${after}<[fim-prefix]>${plainFiles(chunks)}${before}<[fim-middle]>`,
    tokens: ['<[fim-suffix]>', '<[fim-prefix]>', '<[fim-middle]>', '<[end▁of▁sentence]>', '<[begin▁of▁sentence]>'],
  },
  {
    name: 'Mellum',
    match: /mellum/,
    source: 'https://huggingface.co/JetBrains/Mellum-4b-base',
    prompt: ({ path, before, after }, chunks) =>
      `${files('<filename>', chunks)}<filename>${path}\n<fim_suffix>${after}<fim_prefix>${before}<fim_middle>`,
    tokens: [...starCoderTokens, '<filename>', '<file_sep>', '<|im_start|>', '<|im_end|>'],
  },
  {
    name: 'Granite 4',
    match: /granite-?4/,
    source: 'https://huggingface.co/ibm-granite/granite-4.0-h-tiny-base (tokenizer_config.json)',
    prompt: (file, chunks) => `${plainFiles(chunks)}${piped(file)}`,
    tokens: [...pipedTokens, '<|end_of_text|>', '<|start_of_role|>'],
  },
  {
    name: 'Granite',
    match: /granite/,
    source: 'https://arxiv.org/abs/2405.04324 (section 4)',
    prompt: (file, chunks) => `${plainFiles(chunks)}${starCoder(file)}`,
    tokens: [...starCoderTokens, '<|end_of_text|>', '<|start_of_role|>'],
  },
  {
    name: 'Codestral',
    match: /codestral|mistral-?code/,
    source: 'https://github.com/mistralai/mistral-common (encode_fim)',
    prompt: ({ path, before, after }, chunks) =>
      `[SUFFIX]${after}[PREFIX]${chunks.length === 0 ? '' : `${files('+++++ ', chunks)}\n+++++ ${path}\n`}${before}`,
    tokens: ['[SUFFIX]', '[PREFIX]', '[MIDDLE]', '</s>'],
  },
  {
    name: 'Code Llama',
    match: /code-?llama/,
    source: 'https://arxiv.org/abs/2308.12950 and https://github.com/meta-llama/codellama',
    prompt: ({ before, after }, chunks) => `<PRE> ${plainFiles(chunks)}${before} <SUF>${after} <MID>`,
    tokens: ['<PRE>', '<SUF>', '<MID>', '<EOT>', '</s>'],
  },
  {
    name: 'DeepSeek Coder',
    match: /deepseek/,
    source: 'https://github.com/deepseek-ai/DeepSeek-Coder (code insertion, repository level)',
    prompt: ({ path, before, after }, chunks) =>
      `<｜fim▁begin｜>${chunks.length === 0 ? '' : `${files('#', chunks)}#${path}\n`}${before}<｜fim▁hole｜>${after}<｜fim▁end｜>`,
    tokens: ['<｜fim▁begin｜>', '<｜fim▁hole｜>', '<｜fim▁end｜>', '<｜end▁of▁sentence｜>', '<|EOT|>'],
  },
  {
    name: 'CodeGemma',
    match: /code-?gemma/,
    source: 'https://ai.google.dev/gemma/docs/codegemma/prompt-structure',
    prompt: (file, chunks) =>
      `${chunks.map(({ path, text }) => `${path}\n${withNewline(text)}<|file_separator|>`).join('')}${piped(file)}`,
    tokens: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_separator|>', '<eos>', '<end_of_turn>'],
  },
  {
    name: 'CodeGeeX',
    match: /codegeex/,
    source: 'https://github.com/zai-org/CodeGeeX4/blob/main/guides/Infilling_guideline.md',
    prompt: ({ path, before, after }, chunks) =>
      `<|user|>\n${chunks.map((chunk) => `###REFERENCE:\n###PATH:${chunk.path}\n${withNewline(chunk.text)}`).join('')}###PATH:${path}\n###MODE:BLOCK\n<|code_suffix|>${after}<|code_prefix|>${before}<|code_middle|><|assistant|>\n`,
    tokens: ['<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>', '<|user|>', '<|assistant|>', '<|endoftext|>'],
  },
  {
    name: 'GLM',
    match: /(^|[^a-z])glm/,
    source: 'https://huggingface.co/zai-org/GLM-4.5 (tokenizer_config.json)',
    prompt: (file, chunks) =>
      `${plainFiles(chunks)}${prefixFirst('<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>')(file)}`,
    tokens: ['<|code_prefix|>', '<|code_suffix|>', '<|code_middle|>', '<|endoftext|>', '<|user|>'],
  },
  {
    name: 'Qwen',
    match: /qwen/,
    source: 'https://arxiv.org/abs/2409.12186 and https://github.com/QwenLM/Qwen3-Coder',
    prompt: (file, chunks) =>
      chunks.length === 0
        ? piped(file)
        : `<|repo_name|>workspace\n${files('<|file_sep|>', chunks)}<|file_sep|>${file.path}\n${piped(file)}`,
    tokens: [...pipedTokens, '<|repo_name|>', '<|file_sep|>', '<|im_start|>', '<|im_end|>'],
  },
  {
    name: 'StarCoder',
    match: /star-?coder|stable-?code|refact|starchat/,
    source: 'https://arxiv.org/abs/2402.19173 (section 5.1)',
    prompt: (file, chunks) =>
      chunks.length === 0
        ? starCoder(file)
        : `<repo_name>workspace${files('<file_sep>', chunks)}<file_sep>${file.path}\n${starCoder(file)}`,
    tokens: [...starCoderTokens, '<file_sep>', '<repo_name>', '<|im_end|>'],
  },
]

/** Returns the family of a model; undefined if no known one matches. */
export function fimFamily(model: string): FimFamily | undefined {
  const name = model.toLowerCase()
  return fimFamilies.find(({ match }) => match.test(name))
}

const zeroWidthSpace = '\u200b'

/** Splits the family's tokens in the user's text, so that it cannot end the prompt. */
export function splitTokens(text: string, { tokens }: Pick<FimFamily, 'tokens'>): string {
  return tokens.reduce(
    (split, token) => (split.includes(token) ? split.replaceAll(token, splitToken(token)) : split),
    text,
  )
}

/** Restores tokens that a model copied from the prompt. */
export function restoreTokens(text: string, { tokens }: Pick<FimFamily, 'tokens'>): string {
  if (!text.includes(zeroWidthSpace)) return text
  return tokens.reduce((restored, token) => restored.replaceAll(splitToken(token), token), text)
}

/** Cuts an answer at the first token of the family, and restores tokens that the model copied from the prompt. */
export function readAnswer(answer: string, family: Pick<FimFamily, 'tokens'>): string {
  const ends = family.tokens.map((token) => answer.indexOf(token)).filter((at) => at !== -1)
  return restoreTokens(ends.length === 0 ? answer : answer.slice(0, Math.min(...ends)), family)
}

const splitToken = (token: string): string => `${token.slice(0, 1)}${zeroWidthSpace}${token.slice(1)}`

/** All control tokens. Servers that build the prompt themselves may let any of them through. */
export const allFimTokens: readonly string[] = [...new Set(fimFamilies.flatMap(({ tokens }) => tokens))]
