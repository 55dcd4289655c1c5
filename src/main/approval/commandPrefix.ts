import { once } from '../../shared/async/once.ts'
import { prefixRules, type PrefixRule } from './grantablePrefixes.ts'

const nameMark = '<name>'

interface Rule {
  /** Words of the prefix. The last one may be `<name>`. */
  words: readonly string[]
  /** Matches short options, which may be combined and end with a number. */
  short: RegExp
  options: ReadonlySet<string>
  arguments: NonNullable<PrefixRule['arguments']>
  required: readonly string[]
  accepts: NonNullable<PrefixRule['accepts']>
}

/** Rules by program, longest prefix first, because `make test` is not `make` with an argument. */
const rulesByProgram = once(() =>
  Map.groupBy(
    prefixRules.map(compile).toSorted((a, b) => b.words.length - a.words.length),
    ({ words }) => words[0] ?? '',
  ),
)

function compile(declared: PrefixRule): Rule {
  const { prefix, flags = '', numbers = '', options = '', arguments: rest = 'inside', required = '' } = declared
  const one = (letters: string) => (letters === '' ? '(?!)' : `[${letters}]`)
  return {
    words: prefix.split(' '),
    short: new RegExp(`^-(?:${one(flags)}+|${one(flags)}*${one(numbers)}\\d*)$`),
    options: new Set(options.split(' ').filter((option) => option !== '')),
    arguments: rest,
    required: required.split(' ').filter((option) => option !== ''),
    accepts: declared.accepts ?? (() => true),
  }
}

/**
 * Returns the prefix that a session grant may cover: the program and its subcommand. Undefined for every program and
 * subcommand that is not listed in grantablePrefixes.ts.
 */
export function proposePrefix(words: readonly string[]): string[] | undefined {
  const rule = ruleFor(words)
  return rule && words.slice(0, rule.words.length)
}

/**
 * Whether a granted prefix covers a command: it starts with the same words, and each further word is known to be
 * harmless for this program. Unknown words are not covered.
 */
export function isCoveredByPrefix(words: readonly string[], prefix: readonly string[]): boolean {
  if (prefix.length === 0 || !prefix.every((word, index) => words[index] === word)) return false
  const rule = ruleFor(prefix)
  if (rule === undefined || rule.words.length !== prefix.length) return false
  const rest = words.slice(prefix.length)
  return (
    rest.every((word) => isHarmless(word, rule)) &&
    rule.required.every((option) => rest.includes(option)) &&
    rule.accepts(rest)
  )
}

function ruleFor(words: readonly string[]): Rule | undefined {
  return rulesByProgram()
    .get(words[0] ?? '')
    ?.find((rule) =>
      rule.words.every((word, index) => (word === nameMark ? isName(words[index]) : word === words[index])),
    )
}

/**
 * Whether a word is the name of a script, target or recipe. Excludes paths, which name files elsewhere, and `=`,
 * which sets a variable.
 */
function isName(word: string | undefined): boolean {
  return word !== undefined && /^\w[\w.:-]*$/.test(word)
}

function isHarmless(word: string, rule: Rule): boolean {
  if (rule.arguments === 'text' || word === '--') return true
  if (!word.startsWith('-')) return rule.arguments === 'inside' && isPlainArgument(word)
  if (rule.short.test(word) || rule.options.has(word)) return true
  const equals = word.indexOf('=')
  return equals > 0 && rule.options.has(word.slice(0, equals)) && isPlainArgument(word.slice(equals + 1))
}

/**
 * Whether a word can only be a name, a pattern or a path inside the working folder. False for absolute paths, `..`,
 * URLs, argument files (`@file`), `+option` and `NAME=value`.
 */
function isPlainArgument(word: string): boolean {
  return !/^(?:[-@+~/\\]|[a-z]+:[\\/]|\w+[:?!+]*=)/i.test(word) && !word.split(/[\\/]/).includes('..')
}
