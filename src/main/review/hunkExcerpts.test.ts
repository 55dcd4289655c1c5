import { describe, expect, it } from 'vitest'
import { excerptsOf } from './hunkExcerpts.ts'
import { layerOf } from './reviewLayer.ts'
import type { Content } from './reviewContent.ts'
import { locateHunks } from './layerDescription.ts'

const content = (text: string): Content => ({
  kind: 'text',
  text,
  mode: 0o644,
  format: { encoding: 'utf8', eol: '\n' },
})

/** Returns the excerpts of a change as lines of a diff with the number of their side. */
function excerpts(before: string, after: string): string[][] {
  const layer = layerOf(null, 'a', content(before), content(after))
  const file = { path: 'a', current: content(after), layers: [layer], newFolders: [] }
  const signs = { context: ' ', added: '+', removed: '-', note: '\\' }
  return excerptsOf(after, locateHunks(file, layer, String)).map(({ lines, hidden }) => [
    ...lines.lines.map(
      ({ kind, text, oldNumber, newNumber }) => `${signs[kind]}${oldNumber ?? ''}:${newNumber ?? ''} ${text}`,
    ),
    ...(hidden > 0 ? [`${hidden} hidden`] : []),
  ])
}
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('')

describe('the excerpt of a hunk', () => {
  it('has three lines of context with the numbers of both sides', () => {
    const before = numbered(1, 9)
    expect(excerpts(before, before.replace('5\n', 'five\nand\n'))).toEqual([
      [' 2:2 2', ' 3:3 3', ' 4:4 4', '-5: 5', '+:5 five', '+:6 and', ' 6:7 6', ' 7:8 7', ' 8:9 8'],
    ])
  })

  it('shares no context with the hunk before it', () => {
    const before = numbered(1, 8)
    expect(excerpts(before, before.replace('2\n', '').replace('7\n', 'seven\n'))).toEqual([
      [' 1:1 1', '-2: 2', ' 3:2 3', ' 4:3 4', ' 5:4 5'],
      [' 6:5 6', '-7: 7', '+:6 seven', ' 8:7 8'],
    ])
  })

  it('of a created and of a deleted file has all lines, with or without a line break at the end', () => {
    expect(excerpts('', 'a\nb')).toEqual([['+:1 a', '+:2 b', '\\: No newline at end of file']])
    expect(excerpts('a\n\n', '')).toEqual([['-1: a', '-2: ']])
  })

  it('states that only one side ends with a line break', () => {
    expect(excerpts('a\nb', 'a\nb\n')).toEqual([[' 1:1 a', '-2: b', '\\: No newline at end of file', '+:2 b']])
  })

  it('leaves out the rest of many lines, and counts it', () => {
    const [rows = []] = excerpts('', numbered(1, 100))
    expect(rows).toHaveLength(61)
    expect(rows.at(-1)).toBe('40 hidden')
  })
})
