import { expect, it } from 'vitest'
import { mentionParams, pastedMentions, unattachedMentions } from './pastedMentions.ts'

const code = 'NSLog(@"Hello"); x = @diff # @mcp:a/b://c @src/a.ts'

it("of a pasted text are not the user's own, except a mention that is pasted alone", () => {
  expect(pastedMentions(code)).toEqual(['@"Hello"', '@diff', '@mcp:a/b://c', '@src/a.ts'])
  expect(pastedMentions(' @mcp:a/b://c\n')).toEqual([])
})

it('of a pasted text are read only if they are files, and need not exist', () => {
  expect(mentionParams(`see @b.ts ${code}`, [], pastedMentions(code))).toEqual({
    mentions: ['@b.ts', '@"Hello"', '@src/a.ts'],
  })
})

it('that the user chose or put in quotes must exist', () => {
  expect(mentionParams('see @"my notes.md" and @a.ts', ['@a.ts', '@deleted.ts'], [])).toEqual({
    chosen: ['@a.ts', '@"my notes.md"'],
  })
  expect(mentionParams(code, ['@diff'], pastedMentions(code))).toEqual({
    chosen: ['@diff'],
    mentions: ['@"Hello"', '@diff', '@src/a.ts'],
  })
})

it('of a sent message stay as they were when it is sent again', () => {
  const text = `${code} @mcp:a/d://e @selection`
  const attachments = [
    { kind: 'resource' as const, label: 'a: d://e', text: '' },
    { kind: 'selection' as const, label: 'a.ts:1', text: '' },
  ]
  const unattached = unattachedMentions(text, attachments)
  expect(unattached).toEqual(['@"Hello"', '@diff', '@mcp:a/b://c', '@src/a.ts'])
  expect(mentionParams(text, [], unattached)).toEqual({
    mentions: ['@"Hello"', '@src/a.ts', '@mcp:a/d://e', '@selection'],
  })
})
