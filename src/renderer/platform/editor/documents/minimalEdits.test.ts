import { describe, expect, it } from 'vitest'
import { minimalEdits } from './minimalEdits.ts'

function apply(text: string, edits: ReturnType<typeof minimalEdits>): string {
  return edits
    .toReversed()
    .reduce((result, edit) => result.slice(0, edit.start) + edit.text + result.slice(edit.end), text)
}

describe('minimal edits', () => {
  it('are empty for equal texts', () => {
    expect(minimalEdits('a\nb\n', 'a\nb\n')).toEqual([])
  })

  it('touch only the characters between the common start and end', () => {
    expect(minimalEdits('let one = 1\n', 'let two = 1\n')).toEqual([{ start: 4, end: 7, text: 'two' }])
  })

  it('do not touch the lines between two changes', () => {
    const before = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')
    const after = before.replace('line 3\n', 'line three\n').replace('line 15\n', '')
    const edits = minimalEdits(before, after)
    expect(edits).toHaveLength(2)
    expect(apply(before, edits)).toBe(after)
    const middle = before.indexOf('line 9')
    expect(edits.every((edit) => edit.end <= middle || edit.start > middle)).toBe(true)
  })

  it.each([
    ['', 'new\ntext'],
    ['old\ntext', ''],
    ['a', 'a\n'],
    ['aa\naa\naa\n', 'aa\naa\n'],
    ['x\n\n\ny', 'x\n\ny\n\n'],
    ['one\ntwo\nthree\nfour', 'four\nthree\ntwo\none'],
  ])('turn %j into %j', (before, after) => {
    expect(apply(before, minimalEdits(before, after))).toBe(after)
  })

  it('never split a surrogate pair', () => {
    const before = 'say 😀 now'
    const after = 'say 😁 now'
    expect(minimalEdits(before, after)).toEqual([{ start: 4, end: 6, text: '😁' }])
  })

  it('are one replacement if everything differs', () => {
    const before = Array.from({ length: 6000 }, (_, line) => `old ${line}`).join('\n')
    const after = Array.from({ length: 6000 }, (_, line) => `new ${line}`).join('\n')
    const edits = minimalEdits(before, after)
    expect(edits).toHaveLength(1)
    expect(apply(before, edits)).toBe(after)
  })
})
