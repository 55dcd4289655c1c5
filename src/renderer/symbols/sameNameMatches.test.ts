import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CodeDefinitions } from '../../shared/codeNavigation.ts'
import { sameNameNote, useSameNameNote } from './sameNameMatches.ts'

const places = [{ path: 'a.ts', line: 1, column: 1, name: 'add' }]
const found = (resolved: boolean): CodeDefinitions => ({ places, resolved, name: 'add', column: 5 })
const note = () => useSameNameNote.getState().text

beforeEach(() => {
  vi.useFakeTimers()
  useSameNameNote.setState({ text: '' })
})
afterEach(() => vi.useRealTimers())

test('a jump to a mere namesake is told once the user went there, and for a while', () => {
  sameNameNote.answered(found(false))
  expect(note()).toBe('')
  sameNameNote.opened()
  expect(note()).toContain('“add” was found by name only')
  vi.advanceTimersByTime(60_000)
  expect(note()).toBe('')
})

test('a jump that followed imports says nothing, nor does one that asked nothing', () => {
  sameNameNote.answered(found(false))
  sameNameNote.answered(found(true))
  sameNameNote.opened()
  sameNameNote.opened()
  expect(note()).toBe('')
})

test('references say how many agree by name only, and that some are left out', () => {
  sameNameNote.ofReferences([{ resolved: true }, { resolved: false }, { resolved: false }], 3)
  expect(note()).toBe('2 of 3 references agree by name only')
  sameNameNote.ofReferences([{ resolved: true }], 5000)
  expect(note()).toContain('the first 1 of 5,000 are shown')
  sameNameNote.ofReferences([{ resolved: true }], 2)
  expect(note()).toBe('')
})
