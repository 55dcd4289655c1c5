import { expect, test } from 'vitest'
import { allFeatures } from '../base/features.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import type { ChatRequest, ModelEvent } from '../model/modelClient.ts'
import type { NestedCalls, SubAgentTask, Tool } from '../tools/common/toolDefinition.ts'
import type { AgentDeps } from './agentDeps.ts'
import { emptyNudge } from './guards/turnGuards.ts'
import { createSubAgent } from './subAgent.ts'

// The sub-agent runs on the agent's loop, with its guards and its compaction.

const window = 6_000
const text = (written: string): ModelEvent => ({ kind: 'text', text: written })
const read = (part: number): ModelEvent => ({
  kind: 'call',
  call: { id: `c${part}`, name: 'read_file', arguments: JSON.stringify({ part }) },
})

/** Runs a sub-agent whose model sends `answers`; each call returns a result of `resultLength` characters. */
async function run(
  answers: ModelEvent[][],
  resultLength = 10,
  maxTokens = 1_000_000,
  change: Partial<Pick<SubAgentTask, 'maxTurns' | 'answerSchema'>> = {},
) {
  const requests: ChatRequest[] = []
  const result: ToolResult = {
    ok: true,
    text: 'x '.repeat(resultLength / 2),
    view: { kind: 'text' },
    elapsedMs: 1,
    arguments: {},
    truncated: false,
  }
  const calls: NestedCalls = {
    find: (name) => ({ name, risk: 'read' }) as Tool,
    prepare: (name) => ({
      tool: { name, risk: 'read' } as Tool,
      runsInParallel: true,
      run: () => Promise.resolve(result),
    }),
  }
  const deps = {
    settings: () => settingsSchema.parse({}),
    features: allFeatures,
    root: () => '/workspace',
  } as AgentDeps
  const estimate = (written: string) => Math.ceil(written.length / 3.5)
  const runSubAgent = createSubAgent(
    deps,
    {
      conversation: 'c',
      mode: () => 'safe',
      choice: { endpointId: 'e', model: 'scripted' },
      ready: {
        contextWindow: window,
        tokens: {
          estimate,
          count: (texts) => Promise.resolve(texts.reduce((sum, each) => sum + estimate(each), 0)),
          observe: () => undefined,
          exact: false,
          ratio: 1,
          learned: false,
        },
        client: {
          models: () => Promise.resolve([]),
          async *stream(request) {
            // A request without tools and schema is for a summary.
            if (request.tools.length === 0 && !request.answerSchema)
              return yield text('Notes: the first parts were read and hold nothing but x.')
            requests.push(request)
            yield* answers[requests.length - 1] ?? [text('Done.')]
          },
        },
      },
      toolsFor: () => [{ name: 'read_file', description: 'Reads a file.', parameters: {} }],
      profileFor: () => 'full',
    },
    calls,
  )
  const end = await runSubAgent({
    system: 'Investigate.',
    question: 'What is in the parts?',
    tools: ['read_file'],
    maxTurns: 20,
    maxToolCalls: 40,
    maxTokens,
    signal: new AbortController().signal,
    onCall: () => undefined,
    onResult: () => undefined,
    ...change,
  })
  return { end, requests }
}

test('a sub-agent that answers nothing gets a nudge', async () => {
  const { end, requests } = await run([[], [text('Only x.')]])
  expect(end).toMatchObject({ ended: 'answered', text: 'Only x.', turns: 2 })
  expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: emptyNudge })
})

test('the schema of an answer is sent with a request without tools only, because it would prevent calls', async () => {
  const answerSchema = { type: 'object' }
  const single = await run([[text('{}')]], 10, 1_000_000, { maxTurns: 1, answerSchema })
  expect(single.requests).toMatchObject([{ tools: [], answerSchema }])
  const several = await run([[read(1)], [text('{}')]], 10, 1_000_000, { answerSchema })
  expect(several.requests.map((request) => request.answerSchema)).toEqual([undefined, undefined])
})

test('a sub-agent that repeats its calls is stopped', async () => {
  const { end } = await run(Array.from({ length: 12 }, () => [read(1)]))
  expect(end).toMatchObject({ ended: 'limit', toolCalls: 1, problem: expect.stringContaining('5 times') })
})

test('results of more than the window are compacted, and every request fits', async () => {
  const { end, requests } = await run(
    Array.from({ length: 10 }, (_, part) => [read(part)]),
    7_000,
  )
  expect(end).toMatchObject({ ended: 'answered', text: 'Done.', toolCalls: 10 })
  expect(10 * 7_000).toBeGreaterThan(window * 3.5)
  for (const { messages } of requests) expect(JSON.stringify(messages).length).toBeLessThan(window * 3.5)
})
