import { describe, expect, it } from 'vitest'
import { linkTarget } from './links.ts'

describe('linkTarget', () => {
  it('accepts web addresses', () => {
    expect(linkTarget('https://example.org/a?b=c')).toEqual({ kind: 'web', url: 'https://example.org/a?b=c' })
  })

  it('parses a position in a file', () => {
    expect(linkTarget('src/app.ts')).toEqual({ kind: 'file', path: 'src/app.ts' })
    expect(linkTarget('src/app.ts:12:3')).toEqual({ kind: 'file', path: 'src/app.ts', line: 12, column: 3 })
    expect(linkTarget('./src/app.ts#L7-L9')).toEqual({ kind: 'file', path: './src/app.ts', line: 7 })
    expect(linkTarget('my%20file.md')).toEqual({ kind: 'file', path: 'my file.md' })
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:1',
    'data:text/html,x',
    'file:///etc/passwd',
    'vscode://x',
    '//evil.example/x',
    '#anchor',
    '',
    undefined,
    'http://',
  ])('has no target for %s', (href) => expect(linkTarget(href)).toEqual({ kind: 'none' }))
})
