import { describe, expect, it } from 'vitest'
import { mentionAt, mentionsIn, mentionText, parseMentions } from './mentions.ts'

const read = (text: string) => parseMentions(text).map(({ raw, target }) => [raw, target])

describe('mentions', () => {
  it('are paths with lines or a symbol, quoted if they contain spaces', () => {
    expect(read('@src/a.ts, (@"my file.md":3-5) and @lib/b.rs:7 @src/a.ts#Store.save.')).toEqual([
      ['@src/a.ts', { path: 'src/a.ts' }],
      ['@"my file.md":3-5', { path: 'my file.md', line: 3, endLine: 5 }],
      ['@lib/b.rs:7', { path: 'lib/b.rs', line: 7, endLine: 7 }],
      ['@src/a.ts#Store.save', { path: 'src/a.ts', symbol: 'Store.save' }],
    ])
  })

  it('include the selection, the terminal, the diff and the problems', () => {
    expect(read('Explain @selection and @terminal. @diff? @problems')).toEqual([
      ['@selection', 'selection'],
      ['@terminal', 'terminal'],
      ['@diff', 'diff'],
      ['@problems', 'problems'],
    ])
  })

  it('do not start inside a word and are not a lone at sign', () => {
    expect(read('me@example.com a@b @ @" x `@code`')).toEqual([])
  })

  it('are listed once, without those of others', () => {
    expect(mentionsIn('@a.ts and @b.ts, @a.ts @mcp:x/y://z', ['@b.ts'])).toEqual(['@a.ts', '@mcp:x/y://z'])
    expect(mentionsIn(`@${'x'.repeat(6000)} @a.ts`)).toEqual(['@a.ts'])
    expect(mentionsIn(Array.from({ length: 100 }, (_, index) => `@${index}.ts`).join(' '))).toHaveLength(30)
  })

  it('have a position', () => {
    expect(parseMentions('see @a.ts now')[0]).toMatchObject({ from: 4, to: 9 })
  })

  it.each([
    [{ path: 'src/a.ts' }, '@src/a.ts'],
    [{ path: 'src/a b.ts', line: 2, endLine: 4 }, '@"src/a b.ts":2-4'],
    [{ path: 'a.ts', symbol: 'run' }, '@a.ts#run'],
    [{ path: 'odd:12' }, '@"odd:12"'],
    [{ path: 'ends.' }, '@"ends."'],
    [{ path: 'diff' }, '@"diff"'],
  ])('are formatted so that they parse to the same mention: %j', (place, written) => {
    expect(mentionText(place)).toBe(written)
    expect(parseMentions(written)[0]?.target).toEqual(place)
  })

  it('are found while they are typed', () => {
    expect(mentionAt('see @src/a', 10)).toEqual({ from: 4, query: 'src/a' })
    expect(mentionAt('see @"my fi', 11)).toEqual({ from: 4, query: 'my fi' })
    expect(mentionAt('@', 1)).toEqual({ from: 0, query: '' })
    expect(mentionAt('see @a b', 8)).toBeUndefined()
    expect(mentionAt('me@x', 4)).toBeUndefined()
  })
})
