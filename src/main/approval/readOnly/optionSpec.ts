/** What an option or operand accepts. A kind with a comma is a list of literal values. */
export type ArgumentKind = string

interface Option {
  /** Undefined for options without a value. */
  kind?: ArgumentKind
  /** Whether the value must follow `=`, or the letter of a short option. */
  joinedOnly: boolean
  /** Whether the value must be the next word, unless it is a number. */
  separateOnly: boolean
}

export interface OptionSpec {
  options: ReadonlyMap<string, Option>
  /** Whether `-5` is an option, as for `head` and `git log`. */
  numeric: boolean
  /** Whether each word has only one short option, because the program ignores further letters. */
  single: boolean
}

/** A word that was accepted as a value or operand. */
export interface Argument {
  kind: ArgumentKind
  value: string
}

export interface ParsedArguments {
  /** Names of the options that occur. */
  used: ReadonlySet<string>
  values: Argument[]
  operands: string[]
}

/**
 * Parses a list of options: `-a` and `--all` without value, `-n:number` and `--max-count:number` with a value,
 * `--color?:text` with an optional value after `=`, `-I+:text` with a value that is the next word, and `-#` for `-5`.
 * `-!` means that short options cannot be combined.
 */
export function parseOptionSpec(text: string): OptionSpec {
  const options = new Map<string, Option>()
  let numeric = false
  let single = false
  for (const item of text.split(' ').filter(Boolean)) {
    if (item === '-#') numeric = true
    if (item === '-!') single = true
    if (item === '-#' || item === '-!') continue
    const [name = '', kind] = item.split(/:(.*)/s)
    const mark = /[?+]$/.exec(name)?.[0] ?? ''
    options.set(name.slice(0, name.length - mark.length), {
      kind,
      joinedOnly: mark === '?',
      separateOnly: mark === '+',
    })
  }
  return { options, numeric, single }
}

/**
 * Splits the words after a command into options and operands. Accepts only listed options in their full spelling.
 * @returns the first word that is not accepted as `rejected`
 */
export function parseArguments(words: readonly string[], spec: OptionSpec): ParsedArguments | { rejected: string } {
  const used = new Set<string>()
  const values: Argument[] = []
  const operands: string[] = []
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      operands.push(...rest)
      break
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word)
      continue
    }
    if (spec.numeric && /^-\d+$/.test(word)) continue
    const found = word.startsWith('--') ? longOption(word, rest, spec) : shortOptions(word, rest, spec)
    if (found === undefined) return { rejected: word }
    for (const name of found.names) used.add(name)
    values.push(...found.values)
  }
  return { used, values, operands }
}

type Found = { names: string[]; values: Argument[] } | undefined

function longOption(word: string, rest: string[], { options }: OptionSpec): Found {
  const equals = word.indexOf('=')
  const name = equals < 0 ? word : word.slice(0, equals)
  const option = options.get(name)
  if (option === undefined) return undefined
  if (equals >= 0)
    return option.kind === undefined
      ? undefined
      : { names: [name], values: [{ kind: option.kind, value: word.slice(equals + 1) }] }
  return withValue(name, option, rest)
}

/** Parses a word of short options, the last of which may have a value: `-la`, `-n5`, `-n 5`. */
function shortOptions(word: string, rest: string[], { options, single }: OptionSpec): Found {
  const names: string[] = []
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at]}`
    const option = options.get(name)
    if (option === undefined || (single && at > 1)) return undefined
    names.push(name)
    if (option.kind === undefined) continue
    const joined = word.slice(at + 1)
    // Programs that parse the letters after it as further options stop at a digit.
    if (option.separateOnly && joined !== '' && !/^\d+$/.test(joined)) return undefined
    if (joined !== '') return { names, values: [{ kind: option.kind, value: joined }] }
    const last = withValue(name, option, rest)
    return last && { names, values: last.values }
  }
  return { names, values: [] }
}

/** Options whose value may look like an option, because all programs take the next word as the pattern. */
const patterns = new Set(['-e', '--regexp'])

/** Takes the next word as a value. Rejects one that looks like an option, because the program may parse it as one. */
function withValue(name: string, { kind, joinedOnly }: Option, rest: string[]): Found {
  if (kind === undefined || joinedOnly) return { names: [name], values: [] }
  const value = rest.shift()
  if (value === undefined || (/^-[^\d]/.test(value) && !patterns.has(name))) return undefined
  return { names: [name], values: [{ kind, value }] }
}

/**
 * Assigns kinds to operands from a list such as `text path...`: one kind each, `?` for an optional one, `...` for any
 * number.
 * @returns undefined if their number does not fit
 */
export function operandKinds(operands: readonly string[], list: string): Argument[] | undefined {
  const kinds = list.split(' ').filter(Boolean)
  const found: Argument[] = []
  let at = 0
  for (const item of kinds) {
    if (item.endsWith('...')) {
      const kind = item.slice(0, -3)
      for (; at < operands.length; at++) found.push({ kind, value: operands[at] ?? '' })
    } else if (at < operands.length) {
      found.push({ kind: item.replace(/\?$/, ''), value: operands[at] ?? '' })
      at++
    } else if (!item.endsWith('?')) return undefined
  }
  return at === operands.length ? found : undefined
}
