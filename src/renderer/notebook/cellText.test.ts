import { expect, it } from 'vitest'
import { editedSource, editorText } from './cellText.ts'

const sources = ['a\nb', 'a\r\nb\nc', 'a\rb', '\r\n\r\r\n', '\uFEFFa\nb', 'a\r\nb\r\nc', '']

it.each(sources)('the source %j stays as it is without an edit', (source) => {
  expect(editorText(source)).not.toContain('\r')
  expect(editedSource(source, editorText(source))).toBe(source)
})

it('an edit keeps the line ends outside of it', () => {
  expect(editorText('\uFEFFa\r\nb\rc\nd')).toBe('a\nb\nc\nd')
  expect(editedSource('\uFEFFa\r\nb\rc\nd', 'a\nbx\nc\nd')).toBe('\uFEFFa\r\nbx\rc\nd')
  expect(editedSource('a\r\nb\nc', 'a\nb\nc\n')).toBe('a\r\nb\nc\n')
  expect(editedSource('a\r\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb')
  expect(editedSource('a\r\nb', 'ab')).toBe('ab')
})
