import { expect, it } from 'vitest'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import { createReturnedTexts } from './returnedTexts.ts'

const result = (text: string, args: Record<string, unknown> = {}): ToolResult => ({
  ok: true,
  text,
  view: { kind: 'text' },
  elapsedMs: 1,
  arguments: args,
  truncated: false,
})

it('ends a turn that reads too much', () => {
  const problems: string[] = []
  const texts = createReturnedTexts((message) => problems.push(message))
  const text = 'x'.repeat(20_000_000)
  for (let count = 0; count < 10; count += 1) texts.count(text)
  expect(problems).toEqual([])
  expect(() => texts.count('x')).toThrow(expect.objectContaining({ code: 'too_large' }))
  expect(problems).toEqual(['It read more than 200,000,000 characters in one turn.'])
})

it('keeps the beginning of a long result, and less of it when a turn has many', () => {
  const texts = createReturnedTexts(() => undefined)
  const long = 'x'.repeat(150_000)
  expect(texts.kept(result('short')).text).toBe('short')
  expect(texts.kept(result(long)).text).toBe(`${'x'.repeat(100_000)}\n[50,000 more characters not kept on this card.]`)
  let total = 0
  for (let count = 0; count < 4000; count += 1) total += texts.kept(result(long)).text.length
  expect(total).toBeLessThan(25_000_000)
})

it('keeps the beginning of a long argument', () => {
  const { arguments: kept } = createReturnedTexts(() => undefined).kept(
    result('', { path: 'a.txt', content: 'y'.repeat(30_000), limit: 1 }),
  )
  expect(kept).toEqual({
    path: 'a.txt',
    content: `${'y'.repeat(20_000)}\n[10,000 more characters not kept on this card.]`,
    limit: 1,
  })
})
