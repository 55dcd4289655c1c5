import { expect, it } from 'vitest'
import type { DebugOutput } from '../../shared/debug/debug.ts'
import { createOutputBatches, keepOutput, noOutput, outputFrom } from './debugOutput.ts'

function session() {
  const kept = { ...noOutput }
  const sent: DebugOutput[] = []
  const batches = createOutputBatches((output) => sent.push(output))
  const print = (text: string, category: DebugOutput['category'] = 'stdout'): void => {
    const output = { sessionId: 'debug-1', category, text }
    batches.add({ ...output, range: keepOutput(kept, output) })
  }
  return { kept, sent, batches, print }
}

it('sent output has its range, so that a window that loads the rest neither misses nor doubles any', () => {
  const { kept, sent, batches, print } = session()
  print('one ')
  print('two ')
  // A window asks before this batch is sent.
  const loaded = outputFrom(kept, 0)
  print('three ')
  print('error ', 'stderr')
  batches.flush()
  expect(loaded).toEqual({ text: 'one two ', truncated: false, to: 8 })
  expect(sent.map(({ text, range }) => [text, range])).toEqual([
    ['one two three ', { from: 0, to: 14 }],
    ['error ', { from: 14, to: 20 }],
  ])
  expect(outputFrom(kept, 14)).toEqual({ text: 'error ', truncated: false, to: 20 })
  expect(outputFrom(kept, 20)).toEqual({ text: '', truncated: false, to: 20 })
})

it('output that is no longer kept is reported', () => {
  const { kept, print } = session()
  for (let count = 0; count < 16; count += 1) print('x'.repeat(100_000))
  print('end')
  expect(kept.output.length).toBeLessThan(1_500_001)
  expect(outputFrom(kept, 1_600_000)).toEqual({ text: 'end', truncated: false, to: 1_600_003 })
  expect(outputFrom(kept, 0)).toMatchObject({ truncated: true, to: 1_600_003 })
})
