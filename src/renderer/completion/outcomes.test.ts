import { expect, test, vi } from 'vitest'
import { countAccepted, followGrowth, keptLength, partlyAccepted, countShown } from './outcomes.ts'

const { request, model, change } = vi.hoisted(() => {
  type Change = { text: string; rangeLength: number }
  const listeners: ((event: { changes: Change[] }) => void)[] = []
  return {
    request: vi.fn(() => Promise.resolve()),
    model: {
      onDidChangeContent: (listener: (event: { changes: Change[] }) => void) => listeners.push(listener),
      getValueInRange: () => '',
    },
    change: (text: string, rangeLength = 0) => listeners.forEach((each) => each({ changes: [{ text, rangeLength }] })),
  }
})
vi.mock('../platform/bridge/bridge.ts', () => ({ request }))
vi.mock('../platform/editor/monaco/monaco.ts', () => ({
  monaco: {
    editor: {
      getModels: () => [model],
      onDidCreateModel: () => undefined,
      getEditors: () => [{ hasTextFocus: () => true, getModel: () => model }],
    },
    Range: { fromPositions: () => ({}) },
  },
}))

test('inserted characters are counted, without those that were typed or replaced', () => {
  vi.useFakeTimers()
  followGrowth()
  const range = { startLineNumber: 1, startColumn: 1, endLineNumber: 1, endColumn: 2 }
  const item = { insertText: 'a: number) {', range }
  countShown(item)
  change('a')
  change(': number')
  partlyAccepted(item)
  countShown(item)
  change(') {', 1)
  countAccepted(item)
  vi.advanceTimersByTime(5000)
  expect(request.mock.calls).toEqual([['completion.outcome', { shown: 1, accepted: 1, acceptedCharacters: 10 }]])
  vi.useRealTimers()
})

test('kept characters are those that are the same at both ends', () => {
  expect(keptLength('return a + b', 'return a + b')).toBe(12)
  expect(keptLength('return a + b', 'return a - b')).toBe(11)
  expect(keptLength('return a + b', '')).toBe(0)
  expect(keptLength('aa', 'a')).toBe(1)
})
