import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder, testContext, type TestContext } from '../../testing/toolContext.ts'
import { verifyClaims, claimNotes, readClaims } from './modelFindings.ts'

describe('readClaims', () => {
  const claims = {
    summary: 's',
    findings: [{ title: 't', detail: 'd', confidence: 'high', evidence: [{ path: 'a.ts', line: 1, quote: 'x' }] }],
  }
  it.each([
    ['alone', JSON.stringify(claims)],
    ['fenced', `Sure!\n\`\`\`json\n${JSON.stringify(claims)}\n\`\`\`\nAnything else?`],
    ['between prose', `The answer: ${JSON.stringify(claims)} – done.`],
  ])('reads JSON %s', (_, text) => expect(readClaims(text)).toEqual(claims))

  it('reads the variants of the format that small models write', () => {
    const text = JSON.stringify([
      {
        claim: 't',
        description: 'd',
        confidence: 'certain',
        references: ['./a.ts:12', { file: 'b.ts', line_number: '7', code: 'y' }],
      },
      { path: 'c.ts', line: 3 },
    ])
    expect(readClaims(text)).toEqual({
      summary: '',
      findings: [
        {
          title: 't',
          detail: 'd',
          confidence: 'medium',
          evidence: [
            { path: 'a.ts', line: 12, quote: '' },
            { path: 'b.ts', line: 7, quote: 'y' },
          ],
        },
        { title: '', detail: '', confidence: 'medium', evidence: [{ path: 'c.ts', line: 3, quote: '' }] },
      ],
    })
  })

  it.each(['', 'I found nothing.', '{"summary": "cut o', '{"answer": 1}', 'null', '[1, '])(
    'reads nothing from %j',
    (text) => expect(readClaims(text)).toBeUndefined(),
  )

  it('reads at most 20 findings, with 10 locations each', () => {
    const many = Array.from({ length: 50 }, () => ({
      title: 't',
      evidence: Array.from({ length: 50 }, () => 'a.ts:1'),
    }))
    const read = readClaims(JSON.stringify({ findings: many }))
    expect([read?.findings.length, read?.findings[0]?.evidence.length]).toEqual([20, 10])
    expect(read && claimNotes(read)).toEqual([
      '20 of 50 findings of the model are included.',
      'The model cited more than 10 locations for a finding: 800 locations omitted.',
    ])
  })
})

describe('checkClaims', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let context: TestContext
  beforeEach(async () => {
    folder = await temporaryFolder({
      'a.ts': 'function  add(a, b) {\n  return a + b\n}\n\nend\n',
      'data.bin': Buffer.from([0, 1, 2]),
    })
    context = await testContext(folder.root)
  })
  afterEach(() => folder.remove())

  const check = (evidence: { path: string; line: number; quote: string }, signal = context.signal) =>
    verifyClaims(
      { summary: '', findings: [{ title: '', detail: '', confidence: 'low', evidence: [evidence] }] },
      { documents: context.documents, inScope: (path) => path !== 'out.ts', signal },
    )

  it.each([
    ['the line', 1, 'function  add(a, b) {', 'function  add(a, b) {'],
    ['different whitespace', 1, '  function add(a, b) {', 'function  add(a, b) {'],
    ['part of it', 2, 'a + b', 'return a + b'],
    ["a tool's line number", 2, '2:   return a + b', 'return a + b'],
    ['several lines', 1, 'function add(a, b) {\n  return a + b', 'function  add(a, b) {'],
    ['nothing', 5, '', 'end'],
  ])('accepts %s as quoted', async (_, line, quote, text) => {
    expect(await check({ path: 'a.ts', line, quote })).toEqual({
      findings: [{ title: 'a.ts:' + line, detail: '', confidence: 'low', evidence: [{ path: 'a.ts', line, text }] }],
      checked: 1,
      dropped: 0,
      findingsDropped: 0,
    })
  })

  it.each([
    ['another line', 'a.ts', 2, 'function add(a, b) {'],
    ['a second line that does not follow', 'a.ts', 1, 'function add(a, b) {\n  return a - b'],
    ['an empty line', 'a.ts', 4, ''],
    ['a line beyond the end', 'a.ts', 7, ''],
    ['line 0', 'a.ts', 0, ''],
    ['no number', 'a.ts', Number.NaN, ''],
    ['no path', '', 1, ''],
    ['a folder', '.', 1, ''],
    ['a file that is not text', 'data.bin', 1, ''],
    ['a missing file', 'b.ts', 1, ''],
    ['a file outside of the workspace', '../../etc/hostname', 1, ''],
  ])('drops %s', async (_, path, line, quote) => {
    expect(await check({ path, line, quote })).toEqual({ findings: [], checked: 0, dropped: 1, findingsDropped: 1 })
  })

  it('ends when it is cancelled', async () => {
    await expect(check({ path: 'a.ts', line: 1, quote: '' }, AbortSignal.abort())).rejects.toThrow(/abort/i)
  })
})
