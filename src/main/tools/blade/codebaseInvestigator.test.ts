import { z } from 'zod'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CodeIndex } from '../../code/codeIndex.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import {
  fakeEditor,
  runTool,
  temporaryFolder,
  testContext,
  writeTree,
  type FakeEditor,
  type TestContext,
} from '../testing/toolContext.ts'
import { codebaseInvestigator } from './codebaseInvestigator.ts'
import { openIndex } from '../../testing/indexedFolder.ts'

// Tests the tool without a model. src/main/agent/subAgent.test.ts tests it with one.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let code: CodeIndex
let context: TestContext

beforeEach(async () => {
  folder = await temporaryFolder({
    'src/retry.ts':
      '/** Waits before the next attempt, longer each time. */\nexport function backOff(attempt: number): number {\n  return 2 ** attempt * 100\n}\n',
    'src/fetch.ts':
      "import { backOff } from './retry'\n\nexport async function load(url: string): Promise<string> {\n  await sleep(backOff(1))\n  return get(url)\n}\n",
    'src/retry.test.ts':
      "import { backOff } from './retry'\n\ntest('waits longer before the next attempt', () => backOff(2))\n",
    'lib/legacy.py': 'def wait_before_attempt(attempt):\n    return 1\n',
  })
  data = await temporaryFolder()
  editor = fakeEditor()
  const services = await openIndex(folder.root, data.root, editor, true)
  code = services.code
  context = await testContext(folder.root, { ...services, editor })
  await expect.poll(async () => (await code.status()).state).toBe('ready')
})
afterEach(async () => {
  await code.dispose()
  await Promise.all([folder.remove(), data.remove()])
})

const objective = 'How long does it wait before the next attempt?'
const run = (args: Record<string, unknown> = {}) => runTool(codebaseInvestigator, { objective, ...args }, context)
const report = async (args?: Record<string, unknown>): Promise<unknown> => JSON.parse((await run(args)).text)

it('finds a function by search, with evidence, its callers and the method', async () => {
  expect(await report()).toMatchObject({
    objective,
    method: 'search',
    summary: '',
    notes: [],
    findings: [
      {
        title: 'function backOff in src/retry.ts',
        detail: 'Waits before the next attempt, longer each time.',
        confidence: 'high',
        evidence: [
          { path: 'src/retry.ts', line: 2, text: 'export function backOff(attempt: number): number {' },
          { line: 1 },
        ],
      },
      {},
      {},
    ],
    meta: {
      scope: ['**/*'],
      turns: 0,
      max_turns: 8,
      max_tool_calls: 40,
      evidence_dropped: 0,
      findings_dropped: 0,
      cancelled: false,
    },
  })
  expect(await report()).toHaveProperty(
    'related',
    expect.arrayContaining([
      { relation: 'called by', symbol: 'load', of: 'backOff', path: 'src/fetch.ts', line: 4, match: 'resolved' },
    ]),
  )
})

it('states that there are more files and calls than it shows', async () => {
  const callers = Array.from({ length: 14 }, (_, index) => [
    `src/caller${index}.ts`,
    `import { backOff } from './retry'\n\n/** Does wait before the next attempt. */\nexport const waitBeforeNextAttempt${index} = () => backOff(${index})\n`,
  ])
  await writeTree(folder.root, Object.fromEntries(callers))
  code.filesChanged(
    callers.map(([path = '']) => path),
    true,
  )
  await expect
    .poll(async () => ((await report()) as { notes: string[] }).notes.join('\n'))
    .toMatch(/the 8 best files of at least \d+\. To see others/)
  const found = (await report({ scope: ['src/retry.ts'] })) as { notes: string[]; related: unknown[] }
  expect(found.notes.join('\n')).toMatch(/^Showing 10 of \d\d calls from and to backOff; symbol_graph lists more\.$/m)
  expect(found.related).toHaveLength(10)
})

it('shows its evidence as locations that can be opened', async () => {
  const { view } = await run()
  expect(view).toMatchObject({ kind: 'matches', pattern: objective, truncated: false })
  expect(view?.kind === 'matches' && view.matches[0]).toMatchObject({ path: 'src/retry.ts', line: 2 })
})

it('writes Markdown', async () => {
  const { text, format } = await run({ output_format: 'markdown' })
  expect(format).toBe('text')
  expect(text).toMatch(
    /^# How long does it wait before the next attempt\?\n\n## function backOff in src\/retry\.ts \(high\)\nWaits before/,
  )
  expect(text).toContain('- backOff is called by load (src/fetch.ts:4)')
  expect(text).toMatch(/_Found by a search over words, symbols and calls\. Evidence: \d+ locations verified\._$/)
})

it('respects a scope with exclusions', async () => {
  expect(await report({ scope: ['lib/**'] })).toMatchObject({
    findings: [{ evidence: [{ path: 'lib/legacy.py' }] }],
    meta: { scope: ['lib/**'] },
  })
  const { text } = await run({ scope: ['src/**', '!**/*.test.ts'] })
  expect([text.includes('src/retry.ts'), text.includes('retry.test.ts'), text.includes('legacy.py')]).toEqual([
    true,
    false,
    false,
  ])
})

it('searches unsaved text', async () => {
  editor.tabs.set('lib/legacy.py', { text: 'def zeppelin_height():\n    return 3\n', dirty: true })
  expect(await report({ objective: 'height of the zeppelin' })).toMatchObject({
    findings: [{ title: 'function zeppelin_height in lib/legacy.py' }],
  })
})

it('lowers numbers above their caps with a note; a single call runs only the search', async () => {
  const capped = [
    '(`max_turns` 99 is above the cap, so 16 was used.)',
    '(`max_tool_calls` 999 is above the cap, so 120 was used.)',
  ]
  expect(await report({ max_turns: 99, max_tool_calls: 999 })).toMatchObject({
    notes: capped,
    meta: { max_turns: 16, max_tool_calls: 120 },
  })
  expect(await report({ max_tool_calls: 1 })).toMatchObject({ related: [], meta: { tool_calls: 1 } })
})

it('returns no finding if nothing matches, and partial findings at the time limit', async () => {
  expect(await report({ objective: 'quaternions' })).toMatchObject({
    findings: [],
    meta: { cancelled: false },
    notes: [expect.stringContaining('found nothing')],
  })
  expect((await run({ objective: 'quaternions', output_format: 'markdown' })).text).toContain('Nothing was found.')
  const passages = code.passages.bind(code)
  context.code = {
    ...code,
    passages: async (query, signal) => {
      const found = await passages(query, signal)
      // The time limit may already have passed.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return found
    },
  }
  expect(await report({ cancel_after_ms: 1 })).toMatchObject({
    meta: { cancelled: true },
    notes: ['Stopped after 1 millisecond (`cancel_after_ms`).'],
  })
})

it.each([
  [{ objective: ' ?' }, 'invalid_arguments'],
  [{ scope: ['src/{a'] }, 'invalid_pattern'],
  [{ scope: ['nothing/**'] }, 'not_found'],
])('refuses %j', async (args, errorCode) => {
  await expectFailure(run(args), errorCode)
})

it('orders passages by their meaning too if an embedding model is selected', async () => {
  const ranked: string[] = []
  context.rankByMeaning = (question, passages) => {
    expect(question).toBe(objective)
    ranked.push(...passages.map(({ text }) => text))
    expect(passages.map(({ score }) => score)).toEqual(passages.map(({ score }) => score).toSorted((a, b) => b - a))
    return Promise.resolve(passages.map((_, at) => at).toReversed())
  }
  const before = titlesOf(await report({ scope: ['src/**', 'lib/**'] }))
  expect(ranked[0]).toMatch(/^src\/retry\.ts\nbackOff\n[^]*return 2 \*\* attempt \* 100/)
  expect(before.at(-1)).toBe('function backOff in src/retry.ts')
  context.rankByMeaning = () => Promise.resolve(undefined)
  const unchanged = titlesOf(await report())
  delete context.rankByMeaning
  expect(titlesOf(await report())).toEqual(unchanged)
})

const titlesOf = (found: unknown): string[] =>
  z
    .object({ findings: z.array(z.object({ title: z.string() })) })
    .parse(found)
    .findings.map(({ title }) => title)
