import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CodeDefinitions } from '../../shared/language/codeNavigation.ts'
import { sameNameNote, useSameNameNote } from './sameNameMatches.ts'

const places = [{ path: 'a.ts', line: 1, column: 1, name: 'add' }]
const found = (resolved: boolean): CodeDefinitions => ({ places, resolved, name: 'add', column: 5 })
const note = () => useSameNameNote.getState().text

beforeEach(() => {
  vi.useFakeTimers()
  useSameNameNote.setState({ text: '' })
})
afterEach(() => vi.useRealTimers())

test('a jump to a match by name only is reported temporarily, after the jump', () => {
  sameNameNote.answered(found(false))
  expect(note()).toBe('')
  sameNameNote.opened()
  expect(note()).toContain('"add" was found by name only')
  vi.advanceTimersByTime(60_000)
  expect(note()).toBe('')
})

test('a jump that resolved imports, or needed no lookup, reports nothing', () => {
  sameNameNote.answered(found(false))
  sameNameNote.answered(found(true))
  sameNameNote.opened()
  sameNameNote.opened()
  expect(note()).toBe('')
})

test('references report how many match by name only, and that some are omitted', () => {
  sameNameNote.ofReferences([{ resolved: true }, { resolved: false }, { resolved: false }], 3)
  expect(note()).toBe('Found by name only: 2 of 3 references.')
  sameNameNote.ofReferences([{ resolved: true }], 5000)
  expect(note()).toBe('Showing the first 1 of 5,000 references.')
  sameNameNote.ofReferences([{ resolved: true }], 2)
  expect(note()).toBe('')
})
