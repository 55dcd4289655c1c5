import { describe, expect, it } from 'vitest'
import { headingFragments, headingLine, linkTarget } from './links.ts'

describe('linkTarget', () => {
  it('accepts web addresses', () => {
    expect(linkTarget('https://example.org/a?b=c')).toEqual({ kind: 'web', url: 'https://example.org/a?b=c' })
  })

  it('parses a position in a file', () => {
    expect(linkTarget('src/app.ts')).toEqual({ kind: 'file', path: 'src/app.ts' })
    expect(linkTarget('src/app.ts:12:3')).toEqual({ kind: 'file', path: 'src/app.ts', line: 12, column: 3 })
    expect(linkTarget('./src/app.ts#L7-L9')).toEqual({ kind: 'file', path: './src/app.ts', line: 7 })
    expect(linkTarget('my%20file.md#the-%C3%A9nd')).toEqual({ kind: 'file', path: 'my file.md', heading: 'the-énd' })
    expect(linkTarget('#install')).toEqual({ kind: 'heading', heading: 'install' })
    expect(linkTarget('my%20file.md')).toEqual({ kind: 'file', path: 'my file.md' })
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:1',
    'data:text/html,x',
    'file:///etc/passwd',
    'vscode://x',
    '//evil.example/x',
    '#',
    '',
    undefined,
    'http://',
  ])('has no target for %s', (href) => expect(linkTarget(href)).toEqual({ kind: 'none' }))
})

it('finds headings by the fragments of GitHub, also of equal headings and with other letters', () => {
  expect(headingFragments(['Set up', 'Set up', 'Größe & "Kosten"', 'a.b_c-d', 'Set up'])).toEqual([
    'set-up',
    'set-up-1',
    'größe--kosten',
    'ab_c-d',
    'set-up-2',
  ])
  const text = '# Title\n\n```sh\n# Set up\n```\n## Set up ##\n\ntext\n### [Set up](x.md)\n'
  expect(['title', 'set-up', 'Set-Up-1', 'gone'].map((each) => headingLine(text, each))).toEqual([1, 6, 9, undefined])
})
