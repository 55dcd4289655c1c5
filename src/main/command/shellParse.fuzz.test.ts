import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { fuzz, textOf } from '../testing/fuzz.ts'
import { parseShellLine } from './shellParse.ts'

const syntax = [
  'ls',
  'echo',
  'rm -rf /',
  'git status',
  'a',
  'b.txt',
  '/etc',
  '-la',
  '--x=y',
  'X=1',
  '~',
  '*',
  '?',
  '[a]',
  '{a,b}',

  ' ',
  ' ',
  ' ',
  '\n',
  '\t',
  '\r',
  ';',
  '&&',
  '||',
  '|',
  '&',
  '|&',
  ';;',
  '!',
  '#',
  '\\',
  '\\\n',
  '"',
  "'",
  '`',
  '$',

  '$(',
  ')',
  '${',
  '}',
  '$((',
  '))',
  '$x',
  '$1',
  '<(',
  '>(',
  '>',
  '>>',
  '<',
  '<<',
  '<<<',
  '2>&1',
  '>&',
  '&>',
  '(',
  '{',

  'if',
  'then',
  'fi',
  'for',
  'in',
  'do',
  'done',
  'case',
  'esac',
  'function',
  'coproc',
  'time',
  '[[',
  ']]',
  "$'",
  '$"',
  'EOF',
  '\u00a0',
  '\u200b',
  '\u202e',
  '\0',
  'ä',
  '🦊',
  '0',
  '=',
  ':',
  '%',
  '^',
  '@',
]

/** Writes a word so that a shell reads it back. */
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
const print = (commands: readonly (readonly string[])[]): string =>
  commands.map((words) => words.map(quote).join(' ')).join(' ; ')

const word = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'abc /-_.=$"`\\*?#&|;<>(){}[]!~'.split('')), minLength: 1, maxLength: 8 }),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  .filter((text) => /^[\x20-\x7e]+$/.test(text))
const commands = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })

describe('a command line', () => {
  fuzz(
    'of any text is parsed without an error, and printing its plain commands yields the same words',
    [textOf(syntax)],
    async (line) => {
      const parsed = await parseShellLine(line)
      if (!parsed.plain) return expect(parsed.reason).not.toBe('')
      expect(parsed.commands.length).toBeGreaterThan(0)
      const again = await parseShellLine(print(parsed.commands))
      // Quoted words are parsed to the same words, or the whole line is refused.
      if (again.plain) expect(again.commands).toEqual(parsed.commands)
    },
  )

  fuzz('of quoted words has exactly these words', [commands], async (wanted) => {
    const parsed = await parseShellLine(print(wanted))
    if (parsed.plain) expect(parsed.commands).toEqual(wanted)
    // Words without quotes inside are the ordinary case, which must not be refused.
    else expect(wanted.flat().some((text) => /['!^]|^\[\[$/.test(text)) || wanted.length > 1).toBe(true)
  })

  fuzz(
    'with an expansion, substitution or redirection is never certain',
    [fc.constantFrom('$x', '$(x)', '`x`', '${x}', '$((1))', '<(x)', '>f', '<f', '{a,b}x'), word],
    async (risky, before) => {
      expect((await parseShellLine(`echo ${quote(before)} ${risky}`)).plain).toBe(false)
      expect((await parseShellLine(`echo ${risky} ${quote(before)}`)).plain).toBe(false)
    },
  )
})
