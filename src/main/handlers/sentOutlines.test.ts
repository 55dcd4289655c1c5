import { expect, it } from 'vitest'
import type { CodeOutline } from '../../shared/language/codeNavigation.ts'
import { createSentOutlines } from './sentOutlines.ts'

const outline = (path: string, endLine = 2): CodeOutline => ({
  path,
  language: 'typescript',
  supported: true,
  problem: '',
  symbols: [
    {
      id: 'f',
      kind: 'function',
      name: 'f',
      container: '',
      path,
      line: 1,
      column: 1,
      endLine,
      endColumn: 2,
      nameLine: 1,
      nameColumn: 10,
      signature: 'function f()',
      parent: null,
    },
  ],
})

it('an outline that the window has is not sent again', () => {
  const sent = createSentOutlines()
  const first = sent.withRevision(outline('a'), undefined)
  expect(first).toMatchObject(outline('a'))
  expect(sent.withRevision(outline('a'), first?.revision)).toBeNull()
  // For example after the window was reloaded.
  expect(sent.withRevision(outline('a'), undefined)).toEqual(first)
  expect(sent.withRevision(outline('a'), 'other')).toEqual(first)
})

it('an outline that has changed is sent, also if it had an earlier state before', () => {
  const sent = createSentOutlines()
  const first = sent.withRevision(outline('a'), undefined)
  const second = sent.withRevision(outline('a', 3), first?.revision)
  expect(second?.symbols[0]?.endLine).toBe(3)
  const third = sent.withRevision(outline('a'), second?.revision)
  expect(third?.symbols[0]?.endLine).toBe(2)
  expect(sent.withRevision({ ...outline('a'), problem: 'cut' }, third?.revision)?.problem).toBe('cut')
})

it('only the latest files are kept', () => {
  const sent = createSentOutlines()
  const first = sent.withRevision(outline('0'), undefined)
  for (let file = 1; file <= 10; file += 1) sent.withRevision(outline(String(file)), undefined)
  expect(sent.withRevision(outline('0'), first?.revision)).toMatchObject({ path: '0' })
})
