import type { ModelFacts } from '../../../shared/models/modelCheck.ts'
import { plural } from '../../../shared/text/plural.ts'
import { ModelError, type ChatTool } from '../../model/modelClient.ts'
import { randomInteger } from '../tasks/random.ts'
import { encodePng, type Color } from './png.ts'
import type { Answer, SendProbe } from './sendProbe.ts'

export const countingPrompt = 'Count from 1 to 40. Write only the numbers, separated by spaces.'

/** Measures the time to the first token and the speed of generation, and whether the model thinks. */
export async function probeAnswer(sendProbe: SendProbe): Promise<{ facts: ModelFacts; problem?: string }> {
  const answer = await sendProbe([{ role: 'user', content: countingPrompt }], { acceptIncomplete: true })
  const { usage, text, reasoning } = answer
  const problem = answer.endless
    ? endlessText
    : answer.incomplete
      ? incompleteText(answer.ms)
      : text.trim() === ''
        ? 'The answer was empty.'
        : undefined
  return {
    facts: {
      firstTokenMs: Math.round(answer.firstTokenMs),
      thinking: reasoning.trim() !== '',
      ...(usage?.tokensPerSecond !== undefined && {
        speed: { generation: usage.tokensPerSecond, reported: usage.promptTokensPerSecond !== undefined },
      }),
    },
    ...(problem !== undefined && { problem }),
  }
}

export const endlessText = 'The model did not stop writing, so its answer was stopped.'

/** Describes an answer that was stopped at its time limit. */
export function incompleteText(ms: number): string {
  return `No complete answer within ${plural(Math.round(ms / 1000), 'second')}.`
}

/** As large as the tools of an agent: the client cannot tell from the size of a prompt whether a small one arrived. */
const reader: ChatTool = {
  name: 'read_file',
  description:
    'Reads a text file of the workspace and returns its lines with their numbers. Use it before you answer a question ' +
    'about a file, and before you change one. Without a range, the whole file is returned.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Path of the file, relative to the workspace, for example src/main.py.' },
      first_line: { type: 'integer', minimum: 1, description: 'The first line to return, counted from 1.' },
      last_line: { type: 'integer', minimum: 1, description: 'The last line to return. Default: the end of the file.' },
    },
    required: ['path'],
  },
}

/** Tokens of an answer that ends before it can repeat itself. */
const shortAnswerTokens = 8

export const callQuestion = 'What is the first line of notes.txt?'

/**
 * Checks whether the model calls a tool when it has to, and how it writes the call.
 * @param isUnsupported whether the server reports that the model has no native tool calls. An answer that was stopped
 *   does not show it
 */
export async function probeCall(
  sendProbe: SendProbe,
  isUnsupported = false,
): Promise<{ facts: ModelFacts; problem?: string }> {
  const ask = (maxTokens?: number): Promise<Answer> =>
    sendProbe(
      [
        { role: 'system', content: 'You answer questions about files. Use the tools to read them.' },
        { role: 'user', content: callQuestion },
      ],
      { tools: [reader], ...(maxTokens !== undefined && { maxTokens }) },
    )
  let answer = await ask()
  // The end of an answer reports the size of the prompt, which shows whether the tools reached the model.
  if (answer.endless && answer.calls.length === 0) {
    const { toolsAsText: lost } = await ask(shortAnswerTokens)
    if (lost !== undefined) answer = { ...(await ask()), toolsAsText: lost }
  }
  const { calls, toolsAsText = isUnsupported ? 'unsupported' : undefined } = answer
  const call = calls.find(({ name }) => name === reader.name) ?? calls[0]
  const lost = toolsLost(toolsAsText)
  if (!call)
    return {
      facts: { calls: 'none', ...lost },
      problem: toolsAsText
        ? 'The tools are described in the prompt. The model answered without calling one.'
        : 'The model answered without calling the tool.',
    }
  return {
    facts: {
      ...lost,
      calls: toolsAsText !== undefined || call.writtenAs !== undefined ? 'text' : 'native',
      ...(call.writtenAs !== undefined && { dialect: call.writtenAs }),
    },
    ...(call.name !== reader.name && { problem: 'The model called a tool that was not offered.' }),
  }
}

/** Returns why tools do not reach the model, if its server is the reason. */
function toolsLost(why: Answer['toolsAsText']): Pick<ModelFacts, 'toolsLost'> {
  if (why === 'unsupported') return { toolsLost: 'template' }
  return why === 'dropped' ? { toolsLost: 'server' } : {}
}

/** Characters of the prompt that the second request repeats: about 2,000 tokens. */
const sharedCharacters = 6000
/** A prompt that is processed faster than this, in milliseconds, shows nothing. */
const minMeasurableMs = 400

/** Sends a long prompt twice, the second time with another turn, and compares the processing times. */
export async function probeCache(
  sendProbe: SendProbe,
  random: () => number,
): Promise<{ facts: ModelFacts; problem?: string; note: string; isMeasured: boolean }> {
  let system = 'These are the arrivals.\n'
  while (system.length < sharedCharacters)
    system += `Ship ${randomInteger(random, 1000, 9999)} at ${randomInteger(random, 10, 23)}:00.\n`
  const start = [
    { role: 'system', content: system },
    { role: 'user', content: 'Answer with the word yes.' },
  ] as const
  const first = await sendProbe([...start])
  const second = await sendProbe([
    ...start,
    { role: 'assistant', content: first.text.trim() || 'yes' },
    { role: 'user', content: 'Answer with the word no.' },
  ])
  const { cache, note } = cacheUse(first, second)
  const prompt = promptSpeed(first)
  return {
    facts: {
      cache,
      ...(prompt !== undefined && {
        speed: { prompt, reported: first.usage?.promptTokensPerSecond !== undefined },
      }),
    },
    isMeasured: cache.hit !== 'unknown',
    ...(cache.hit === 'no' && { problem: note }),
    note,
  }
}

/** Minimum speedup of a prompt from the cache. */
const minSpeedup = 2
/** If the second prompt takes at least this share of the first one's time, a reported cache hit is doubtful. */
const sameTime = 0.8

function cacheUse(first: Answer, second: Answer): { cache: NonNullable<ModelFacts['cache']>; note: string } {
  const [before, after] = [first.firstTokenMs, second.firstTokenMs]
  const { cachedTokens, promptTokens } = second.usage ?? {}
  const isMeasurable = before >= minMeasurableMs
  const isFaster = isMeasurable && after < before / minSpeedup
  const share = cachedTokens !== undefined && promptTokens ? Math.min(1, cachedTokens / promptTokens) : undefined
  const percent = `${Math.round((share ?? 0) * 100)} %`
  const reread = 'The server processes the whole prompt again in each turn.'
  if (share !== undefined && share >= 0.5 && isMeasurable && after >= before * sameTime)
    return {
      cache: { hit: 'unknown', share },
      note: `The server reports ${percent} from the cache, but the second prompt took as long as the first.`,
    }
  // Some servers report 0 although they have a cache.
  if (share !== undefined && (share > 0 || !isFaster))
    return {
      cache: { hit: share >= 0.5 ? 'yes' : 'no', share },
      note: share >= 0.5 ? `${percent} of the second prompt came from the cache.` : reread,
    }
  if (!isMeasurable)
    return { cache: { hit: 'unknown' }, note: 'Too fast to measure, and the server does not report it.' }
  return {
    cache: { hit: isFaster ? 'yes' : 'no' },
    note: isFaster ? `First token after ${Math.round(before)} ms, then ${Math.round(after)} ms.` : reread,
  }
}

/** Prompt tokens per second: as reported, otherwise by the time to the first token. */
function promptSpeed({ usage, firstTokenMs }: Answer): number | undefined {
  if (usage?.promptTokensPerSecond !== undefined) return usage.promptTokensPerSecond
  return usage && !usage.estimated && firstTokenMs > 20 ? usage.promptTokens / (firstTokenMs / 1000) : undefined
}

/** Colors that even small models can distinguish. */
const colors: readonly { name: string; rgb: Color }[] = [
  { name: 'red', rgb: [220, 30, 30] },
  { name: 'green', rgb: [20, 160, 50] },
  { name: 'blue', rgb: [30, 60, 220] },
  { name: 'yellow', rgb: [250, 220, 20] },
  { name: 'black', rgb: [0, 0, 0] },
]
const stripes = 3
const stripeWidth = 80

export const visionQuestion =
  'The picture has three vertical stripes. Name their colors from left to right, separated by commas.'

/** Sends a picture of colored stripes in random order. */
export async function probeVision(
  sendProbe: SendProbe,
  random: () => number,
): Promise<{ facts: ModelFacts; problem?: string }> {
  const left = [...colors]
  const chosen = Array.from({ length: stripes }, () => left.splice(Math.floor(random() * left.length), 1)[0]).filter(
    (color) => color !== undefined,
  )
  const png = encodePng(
    stripes * stripeWidth,
    stripeWidth,
    (x) => chosen[Math.floor(x / stripeWidth)]?.rgb ?? [0, 0, 0],
  )
  try {
    const { text } = await sendProbe([
      {
        role: 'user',
        content: visionQuestion,
        images: [{ id: 'stripes', label: 'stripes.png', mimeType: 'image/png', data: png.toString('base64') }],
      },
    ])
    const named = text.toLowerCase().match(/\b(?:red|green|blue|yellow|black)\b/g) ?? []
    const isRight = named.join() === chosen.map(({ name }) => name).join()
    return isRight
      ? { facts: { vision: 'yes' } }
      : { facts: { vision: 'no' }, problem: 'The model did not name the colors of the image.' }
  } catch (error) {
    if (!(error instanceof ModelError) || !['bad_request', 'server_error'].includes(error.code)) throw error
    return { facts: { vision: 'refused' }, problem: 'The server does not accept images for this model.' }
  }
}
