import { expect, it } from 'vitest'
import { ownMentions, pastedMentions, unreadResources } from './pastedMentions.ts'

it('of a pasted text are those that would request something, not files or a pasted mention alone', () => {
  expect(pastedMentions('if (@diff) @mcp:a/b://c @src/a.ts @"x y"')).toEqual(['@diff', '@mcp:a/b://c'])
  expect(pastedMentions(' @mcp:a/b://c\n')).toEqual([])
})

it('of a sent message stay unread if they were', () => {
  const text = '@mcp:a/b://c and @mcp:a/d://e @diff'
  expect(unreadResources(text, [{ kind: 'resource', label: 'a: b://c', text: '' }])).toEqual(['@mcp:a/d://e'])
  expect(unreadResources(text)).toEqual(['@mcp:a/b://c', '@mcp:a/d://e'])
})

it('are named only if the text has others', () => {
  expect(ownMentions('see @a', ['@b'])).toEqual({})
  expect(ownMentions('see @a and @b', ['@b'])).toEqual({ mentions: ['@a'] })
})
