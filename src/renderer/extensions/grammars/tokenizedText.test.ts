import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LineChange } from './grammarMessages.ts'
import { mapLine } from './mapLine.ts'
import { TokenizedText } from './tokenizedText.ts'

/** State of a tokenizer for which a quote opens or closes a string over several lines. */
class Quoted {
  readonly open: boolean
  constructor(open: boolean) {
    this.open = open
  }
  equals(other: Quoted): boolean {
    return other.open === this.open
  }
}

/** The tokens of a line: its text, and whether it begins in a string. */
function tokenize(line: string, start: Quoted | undefined) {
  const open = start?.open ?? false
  return { tokens: `${open}:${line}`, end: new Quoted(line.split('"').length % 2 === 0 ? !open : open) }
}

function allTokens(text: string): string[] {
  let state: Quoted | undefined
  return text.split('\n').map((line) => {
    const { tokens, end } = tokenize(line, state)
    state = end
    return tokens
  })
}

const texts = fc.array(fc.constantFrom('a', '"', 'b"c"', '', 'd"'), { maxLength: 8 }).map((lines) => lines.join('\n'))
const edits = fc.record({ from: fc.nat(), to: fc.nat(), text: texts, steps: fc.nat({ max: 6 }) })

/** Converts offsets to lines and columns. */
function changeOf(text: string, from: number, to: number, inserted: string): LineChange {
  const position = (offset: number) => {
    const lines = text.slice(0, offset).split('\n')
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  }
  const start = position(from)
  const end = position(to)
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column, text: inserted }
}

it('after any edits, at any time, the tokens are those of the whole text', () => {
  fc.assert(
    fc.property(texts, fc.array(edits, { maxLength: 6 }), (first, all) => {
      let text = first
      const content = new TokenizedText<Quoted>(text)
      const shown: (string | undefined)[] = text.split('\n').map(() => undefined)
      const work = (steps: number) => {
        for (let step = 0; step < steps && !content.isComplete; step++) {
          const line = content.nextLine
          shown[line - 1] = content.tokenizeNext(tokenize)
        }
      }
      for (const { from, to, text: inserted, steps } of all) {
        work(steps)
        const [start = 0, end = 0] = [from % (text.length + 1), to % (text.length + 1)].toSorted((a, b) => a - b)
        const change = changeOf(text, start, end, inserted)
        content.apply([change])
        text = text.slice(0, start) + inserted + text.slice(end)
        const { startLine, endLine } = change
        const lines = inserted.split('\n').length
        shown.splice(startLine - 1, endLine - startLine + 1, ...Array.from({ length: lines }, () => undefined))
      }
      work(10_000)
      expect(shown).toEqual(allTokens(text))
    }),
    { numRuns: 2000 },
  )
})

it('after a change, only lines that it affects are tokenized again', () => {
  const content = new TokenizedText<Quoted>('a\n'.repeat(1000))
  while (!content.isComplete) content.tokenizeNext(tokenize)
  content.apply([{ startLine: 500, startColumn: 1, endLine: 500, endColumn: 1, text: 'b' }])
  let count = 0
  for (; !content.isComplete; count++) content.tokenizeNext(tokenize)
  expect(count).toBe(1)
})

it.each([
  ['before the edit', 2, 2],
  ['in it', 4, null],
  ['after it', 6, 7],
])('a line %s has another number after it', (_where, line, mapped) => {
  expect(mapLine(line, [{ start: 3, end: 5, lines: 4 }])).toBe(mapped)
})
