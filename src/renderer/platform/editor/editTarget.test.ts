import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { monaco } from './monaco/monaco.ts'
import type { LineRange } from '../../../shared/diff/lineHunks.ts'
import { describeTarget, lineEdit, linesOf, rangeOf } from './editTarget.ts'

/** A text model with the methods that the code uses. */
function modelOf(text: string): monaco.editor.ITextModel {
  const lines = text.split('\n')
  const offset = ({ lineNumber, column }: monaco.IPosition) =>
    lines.slice(0, lineNumber - 1).reduce((sum, line) => sum + line.length + 1, 0) + column - 1
  const model: Partial<monaco.editor.ITextModel> = {
    getLineCount: () => lines.length,
    getLineContent: (line) => lines[line - 1] ?? '',
    getLineMaxColumn: (line) => (lines[line - 1] ?? '').length + 1,
    getOffsetAt: offset,
    getPositionAt(at) {
      const before = text.slice(0, at).split('\n')
      return { lineNumber: before.length, column: (before.at(-1) ?? '').length + 1 } as monaco.Position
    },
    getValueInRange: ({ startLineNumber, startColumn, endLineNumber, endColumn }: monaco.IRange) =>
      text.slice(
        offset({ lineNumber: startLineNumber, column: startColumn }),
        offset({ lineNumber: endLineNumber, column: endColumn }),
      ),
    getOptions: () => ({ insertSpaces: true, indentSize: 2 }) as monaco.editor.TextModelResolvedOptions,
    getLanguageId: () => 'typescript',
  }
  // Only the methods above are used.
  return model as monaco.editor.ITextModel
}

function applied(text: string, range: LineRange, lines: readonly string[]): string {
  const model = modelOf(text)
  const { range: span, text: inserted } = lineEdit(model, range, lines)
  const start = model.getOffsetAt({ lineNumber: span.startLineNumber, column: span.startColumn })
  const end = model.getOffsetAt({ lineNumber: span.endLineNumber, column: span.endColumn })
  return text.slice(0, start) + inserted + text.slice(end)
}

/** A selection from line and column to line and column. */
function selection(startLineNumber: number, startColumn: number, endLineNumber: number, endColumn: number) {
  const isEmpty = () => startLineNumber === endLineNumber && startColumn === endColumn
  return { startLineNumber, startColumn, endLineNumber, endColumn, isEmpty } as monaco.Selection
}

describe('the edit of lines', () => {
  const line = fc.constantFrom('', 'a', '  b', 'cc')
  it('replaces exactly these lines, whatever the place and the end of the text', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.nat(6),
        fc.nat(6),
        fc.array(line, { maxLength: 3 }),
        (lines, at, size, replacement) => {
          const start = Math.min(at, lines.length)
          const count = Math.min(size, lines.length - start)
          fc.pre(count > 0 || replacement.length > 0)
          const expected = lines.toSpliced(start, count, ...replacement)
          // A text has at least one line.
          expect(applied(lines.join('\n'), { start: start + 1, count }, replacement)).toBe(expected.join('\n'))
        },
      ),
    )
  })

  it('adds and removes no line break at the end of the text', () => {
    expect(applied('a\nb\n', { start: 2, count: 1 }, ['c'])).toBe('a\nc\n')
    expect(applied('a\nb', { start: 2, count: 1 }, ['c'])).toBe('a\nc')
    expect(applied('a\nb', { start: 3, count: 0 }, ['c'])).toBe('a\nb\nc')
  })
})

describe('the lines of an edit', () => {
  const model = modelOf('one\n  two\n\nthree')
  it.each([
    ['part of a line', selection(1, 2, 1, 3), { start: 1, count: 1 }],
    ['several lines', selection(1, 2, 2, 3), { start: 1, count: 2 }],
    ['lines up to the start of the next', selection(1, 1, 3, 1), { start: 1, count: 2 }],
    ['a cursor in a blank line', selection(3, 1, 3, 1), { start: 3, count: 1 }],
    ['a cursor after text', selection(2, 5, 2, 5), { start: 3, count: 0 }],
    ['a cursor before text', selection(2, 2, 2, 2), { start: 2, count: 0 }],
  ])('for %s', (_, selected, range) => {
    expect(rangeOf(model, selected)).toEqual(range)
  })

  it('are described with the text around them', () => {
    expect(describeTarget(model, 'a.ts', { start: 2, count: 1 })).toEqual({
      path: 'a.ts',
      language: 'typescript',
      selection: ['  two'],
      line: 2,
      before: 'one',
      after: '\nthree',
      cursorIndent: '',
      indentation: { tabs: false, size: 2 },
    })
    expect(describeTarget(model, 'a.ts', { start: 3, count: 1 })).toMatchObject({
      selection: null,
      before: 'one\n  two',
      after: 'three',
    })
    expect(linesOf(model, { start: 2, count: 2 })).toEqual(['  two', ''])
  })
})
