import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Usage } from '../../../shared/agent/conversation.ts'
import { factRows } from '../../../shared/models/modelCheckTexts.ts'
import { createOpenAiClient } from '../../model/clients/openAiClient.ts'
import { delta, serve } from '../../model/testing/modelServer.ts'
import { randomNumbers } from '../tasks/random.ts'
import { createProbeSender, type Answer, type SendProbe } from './sendProbe.ts'
import { probeCache, probeCall, probeVision } from './probes.ts'

const answerOf = (change: Partial<Answer> = {}): Answer => ({
  text: 'yes',
  reasoning: '',
  calls: [],
  firstTokenMs: 10,
  ms: 20,
  ...change,
})
/** Answers requests in turn. */
const probeSender = (...answers: Partial<Answer>[]): SendProbe => {
  let at = 0
  return () => Promise.resolve(answerOf(answers[at++]))
}
const usage = (promptTokens: number, cachedTokens?: number): Usage => ({
  promptTokens,
  completionTokens: 1,
  ...(cachedTokens !== undefined && { cachedTokens }),
})

describe('the prompt cache', () => {
  const random = randomNumbers(1)
  it('is used if the server reports cached tokens', async () => {
    const { facts, problem } = await probeCache(probeSender({}, { usage: usage(2000, 1900) }), random)
    expect(facts.cache).toEqual({ hit: 'yes', share: 0.95 })
    expect(problem).toBeUndefined()
  })

  it('is not used if the server reports none and the second answer takes as long as the first', async () => {
    const slow = { firstTokenMs: 3000 }
    const { facts, problem } = await probeCache(probeSender(slow, { ...slow, usage: usage(2000, 0) }), random)
    expect(facts.cache?.hit).toBe('no')
    expect(problem).toContain('whole prompt again')
  })

  it('is used if the second answer comes much faster, whatever the server reports', async () => {
    const { facts } = await probeCache(
      probeSender({ firstTokenMs: 3000 }, { firstTokenMs: 200, usage: usage(2000, 0) }),
      random,
    )
    expect(facts.cache).toEqual({ hit: 'yes' })
  })

  it('is unknown if the second answer takes as long as the first, whatever the server reports', async () => {
    const slow = { firstTokenMs: 3000 }
    const answers = [slow, { firstTokenMs: 2900, usage: usage(2000, 1990) }] as const
    const { facts, note, isMeasured } = await probeCache(probeSender(...answers), random)
    expect(facts.cache).toEqual({ hit: 'unknown', share: 0.995 })
    expect(note).toBe('The server reports 100 % from the cache, but the second prompt took as long as the first.')
    expect(isMeasured).toBe(false)
    expect(factRows(facts)).toContainEqual({ name: 'Prompt cache', value: '100 % reported, but not faster' })
  })

  it('is used as reported if the prompts are too short to compare their times', async () => {
    const quick = { firstTokenMs: 300 }
    const { facts } = await probeCache(probeSender(quick, { ...quick, usage: usage(2000, 1990) }), random)
    expect(facts.cache).toEqual({ hit: 'yes', share: 0.995 })
  })

  it('is unknown if both answers are too fast and the server reports nothing', async () => {
    expect(await probeCache(probeSender({}, { usage: usage(2000) }), random)).toMatchObject({
      facts: { cache: { hit: 'unknown' } },
      isMeasured: false,
    })
  })
})

describe('a call', () => {
  it('is native, as text with its dialect, or missing', async () => {
    const call = { name: 'read_file' }
    expect((await probeCall(probeSender({ calls: [call] }))).facts).toEqual({ calls: 'native' })
    const text = await probeCall(probeSender({ calls: [{ ...call, writtenAs: 'Mistral' }] }))
    expect(text.facts).toEqual({ calls: 'text', dialect: 'Mistral' })
    expect((await probeCall(probeSender({ calls: [call], toolsAsText: 'unsupported' }))).facts).toEqual({
      calls: 'text',
      toolsLost: 'template',
    })
    expect((await probeCall(probeSender({ endless: true }), true)).facts).toEqual({
      calls: 'none',
      toolsLost: 'template',
    })
    expect(await probeCall(probeSender({}))).toMatchObject({ facts: { calls: 'none' }, problem: expect.any(String) })
  })
})

it.each([
  ['answers', 'I cannot read files.'],
  ['repeats itself', 'I cannot read files. '.repeat(200)],
])(
  'a server that drops tools is found by the size of the prompt that it reports, if the model %s',
  async (_what, full) => {
    const { url } = await serve((_request, response, text) => {
      // The client sends an object.
      const body = JSON.parse(text) as { messages: object[]; stream: boolean; max_tokens: number }
      const { messages, stream } = body
      const usage = { prompt_tokens: Math.ceil(JSON.stringify(messages).length / 4), completion_tokens: 3 }
      const content = full.slice(0, body.max_tokens * 4)
      if (!stream) return void response.end(JSON.stringify({ choices: [{ message: { content } }], usage }))
      const events = [delta({ content }, 'stop'), { choices: [], usage }]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
    })
    const client = createOpenAiClient({ name: 'Test', baseUrl: url, textPrompt: () => 'Tools: read_file.' })
    const { signal } = new AbortController()
    const send = createProbeSender({ client }, 'm', { limitMs: 10_000, signal })
    expect((await probeCall(send)).facts).toEqual({ calls: 'none', toolsLost: 'server' })
  },
)

describe('the picture', () => {
  /** Reads the colors of a PNG without filters as the probe encodes it. */
  function stripesOf(base64: string): string[] {
    const png = Buffer.from(base64, 'base64')
    const at = png.indexOf('IDAT')
    const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
    const names: Readonly<Record<string, string>> = {
      '220,30,30': 'red',
      '20,160,50': 'green',
      '30,60,220': 'blue',
      '250,220,20': 'yellow',
      '0,0,0': 'black',
    }
    return [40, 120, 200].map((x) => names[rows.subarray(1 + x * 3, 4 + x * 3).join()] ?? '?')
  }
  const seeing =
    (say: (stripes: string[]) => string): SendProbe =>
    ([message]) =>
      Promise.resolve(
        answerOf({ text: say(stripesOf((message?.role === 'user' ? message.images?.[0]?.data : undefined) ?? '')) }),
      )

  it.each([1, 2, 3])('is recognized by its colors in order (seed %i)', async (seed) => {
    const right = await probeVision(
      seeing((stripes) => `From left to right: ${stripes.join(', ')}.`),
      randomNumbers(seed),
    )
    expect(right).toEqual({ facts: { vision: 'yes' } })
    const wrong = await probeVision(
      seeing((stripes) => stripes.toReversed().join(', ')),
      randomNumbers(seed),
    )
    expect(wrong.facts).toEqual({ vision: 'no' })
  })
})
