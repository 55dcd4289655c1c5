import { describe, expect, test } from 'vitest'
import { isEnough, trimSuggestion } from './trimSuggestion.ts'

const trim = (answer: string, before: string, after: string) => trimSuggestion(answer, { before, after }).text

describe('a suggestion', () => {
  test('has no blank lines at its end', () => {
    expect(trim('a + b\n\n  \n', 'return ', '')).toBe('a + b')
  })

  test('ends before lines that follow the cursor', () => {
    expect(trim('a + b\n}\n', 'function f() {\n  return ', '\n}\n')).toBe('a + b')
    expect(trim('a + b\n}\n\nexport const x = 1\nexport const', 'return ', '\n}\n\nexport const x = 1\nmore\n')).toBe(
      'a + b',
    )
  })

  test('keeps a bracket that only looks like the following one', () => {
    expect(trim('if (a) {\n    b()\n  }\n  c()', '  ', '\n}\n')).toBe('if (a) {\n    b()\n  }\n  c()')
  })

  test('is empty if it repeats the next line', () => {
    expect(trim('b = 2', 'let ', '\n\nlet b = 2\n')).toBe('')
  })

  test('ends before the rest of the line, and has one line then', () => {
    expect(trim('value, other);\nnext()', 'call(', ');\n')).toBe('value, other')
    expect(trim('value)', 'call(', ');\n')).toBe('value')
    expect(trim('value\nnext()', 'call(', ')\n')).toBe('value')
  })

  test('replaces a bracket that the editor closed, if it contains that bracket', () => {
    const place = { before: 'function add(', after: ')\n\nend()\n' }
    const answer = 'a: number): number {\n  return a\n}\n\nend()'
    expect(trimSuggestion(answer, place)).toEqual({ text: 'a: number): number {\n  return a\n}', replaces: 1 })
    // Other text after the cursor stays.
    expect(trimSuggestion('a) + b', { before: 'f(', after: ') + b\n' })).toEqual({ text: 'a', replaces: 0 })
  })

  test('does not repeat the prompt', () => {
    const before = 'import { readFile } from "node:fs/promises"\n\nconst text = '
    expect(trim(`${before}await readFile("a")`, before, '')).toBe('await readFile("a")')
    const long = `${'const first = 1\n'.repeat(2)}const second = "a long line"\nconst third = `
    expect(trim('const first = 1\nconst first = 1\nconst second = "a long line"\n3', long, '')).toBe('')
  })

  test('has Unix line endings', () => {
    expect(trim('a\r\nb\rc', 'x ', '')).toBe('a\nb\nc')
  })
})

describe('an answer is enough', () => {
  test('after one line if text follows the cursor that the line does not replace', () => {
    expect(isEnough('value) {\n', { before: 'f(', after: ')' })).toBe(false)
    expect(isEnough('value', { before: 'f(', after: ')' })).toBe(false)
    expect(isEnough('value\n', { before: 'f(', after: ')' })).toBe(true)
  })
  test('after two blank lines, or 24 lines', () => {
    expect(isEnough('a\n\n\n', { before: '', after: '' })).toBe(true)
    expect(isEnough('a\n\nb', { before: '', after: '' })).toBe(false)
    expect(isEnough('a\n'.repeat(25), { before: '', after: '' })).toBe(true)
  })
})
