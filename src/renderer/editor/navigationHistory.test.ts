import { beforeEach, expect, test } from 'vitest'
import {
  clearNavigationHistory,
  emptyHistory,
  withoutRecording,
  navigateHistory,
  useNavigationHistory,
  recordVisit,
  withVisit,
  type HistoryEntry,
} from './navigationHistory.ts'

const stop = (path: string, line: number): HistoryEntry => ({ path, line, column: 1 })
const seen = (): string[] => useNavigationHistory.getState().entries.map(({ path, line }) => `${path}:${line}`)

beforeEach(clearNavigationHistory)

test('small cursor moves update the current entry; distant moves and other files add one', () => {
  for (const place of [stop('a', 1), stop('a', 9), stop('a', 30), stop('b', 30)]) recordVisit(place)
  expect(seen()).toEqual(['a:9', 'a:30', 'b:30'])
})

test('Back and Forward add no entries and stop at the ends', async () => {
  const opened: string[] = []
  const open = async (place: HistoryEntry) => {
    // The tab shows another position first.
    recordVisit(stop(place.path, 500))
    opened.push(`${place.path}:${place.line}`)
  }
  for (const place of [stop('a', 1), stop('b', 1), stop('c', 1)]) recordVisit(place)
  for (const step of [-1, -1, -1, 1, 1, 1] as const) await navigateHistory(step, open)
  expect(opened).toEqual(['b:1', 'a:1', 'b:1', 'c:1'])
  expect(seen()).toEqual(['a:1', 'b:1', 'c:1'])
})

test('a new visit removes the entries that Forward would reach', async () => {
  for (const place of [stop('a', 1), stop('b', 1)]) recordVisit(place)
  await navigateHistory(-1, async () => {})
  recordVisit(stop('c', 1))
  expect(seen()).toEqual(['a:1', 'c:1'])
})

test('recording resumes after a failed action, and the oldest entries are dropped', async () => {
  await expect(withoutRecording(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  recordVisit(stop('a', 1))
  expect(seen()).toEqual(['a:1'])
  const many = Array.from({ length: 150 }, (_, index) => stop(`f${index}`, 1)).reduce(withVisit, emptyHistory)
  expect(many.entries).toHaveLength(100)
  expect(many.entries.at(-1)?.path).toBe('f149')
})
