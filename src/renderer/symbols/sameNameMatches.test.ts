import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CodeDefinitions } from '../../shared/codeNavigation.ts'
import { tellOfNamesakes, useSymbolNote } from './sameNameMatches.ts'

const places = [{ path: 'a.ts', line: 1, column: 1, name: 'add' }]
const found = (resolved: boolean): CodeDefinitions => ({ places, resolved, name: 'add', column: 5 })
const note = () => useSymbolNote.getState().text

beforeEach(() => {
  vi.useFakeTimers()
  useSymbolNote.setState({ text: '' })
})
afterEach(() => vi.useRealTimers())

test('a jump to a mere namesake is told once the user went there, and for a while', () => {
  tellOfNamesakes.answered(found(false))
  expect(note()).toBe('')
  tellOfNamesakes.opened()
  expect(note()).toContain('“add” was found by name only')
  vi.advanceTimersByTime(60_000)
  expect(note()).toBe('')
})

test('a jump that followed imports says nothing, nor does one that asked nothing', () => {
  tellOfNamesakes.answered(found(false))
  tellOfNamesakes.answered(found(true))
  tellOfNamesakes.opened()
  tellOfNamesakes.opened()
  expect(note()).toBe('')
})

test('references say how many agree by name only, and that some are left out', () => {
  tellOfNamesakes.ofReferences([{ resolved: true }, { resolved: false }, { resolved: false }], 3)
  expect(note()).toBe('2 of 3 references agree by name only')
  tellOfNamesakes.ofReferences([{ resolved: true }], 5000)
  expect(note()).toContain('the first 1 of 5,000 are shown')
  tellOfNamesakes.ofReferences([{ resolved: true }], 2)
  expect(note()).toBe('')
})
