import { patternWords, type ApprovalRule, type RuleDecision } from '../../shared/tools/approvalRules.ts'
import type { ReadWord } from '../command/shellReading.ts'
import { withoutGitOptions } from './gitRuns.ts'
import type { HiddenCommands } from './commandsBehindLaunchers.ts'
import { programName } from './launchedCommands.ts'

/** A command to match against rules. */
export interface RuleSubject {
  words: readonly string[]
  /** Words that are paths in the workspace and not secret. */
  insidePaths?: ReadonlySet<string>
}

/** The folders whose rules apply to a command. Real paths. */
export interface RuleFolders {
  /** All folders of the workspace: what one of them denies is denied. */
  all: readonly string[]
  /** Those whose permissions apply: the one in which the command starts. */
  own: readonly string[]
}

/** Returns the rules that apply in folders. */
export function rulesFor(rules: readonly ApprovalRule[], { all, own }: RuleFolders): ApprovalRule[] {
  return rules.filter(({ folder, decision }) => folder === null || (decision === 'allow' ? own : all).includes(folder))
}

/**
 * Returns the first rule with this decision that matches a command. Exact rules match whole lines; see `findLineRule`.
 */
export function findCommandRule(
  rules: readonly ApprovalRule[],
  decision: RuleDecision,
  subject: RuleSubject,
): ApprovalRule | undefined {
  return rules.find((rule) => rule.decision === decision && rule.match !== 'exact' && matchesCommand(rule, subject))
}

/** Returns the first exact rule with this decision whose pattern equals the whole command line. */
export function findLineRule(
  rules: readonly ApprovalRule[],
  decision: RuleDecision,
  line: string,
): ApprovalRule | undefined {
  return rules.find(
    (rule) => rule.decision === decision && rule.match === 'exact' && rule.pattern.trim() === line.trim(),
  )
}

/** How certainly a rule matches: `maybe` if the shell or a launcher computes a part of the command. */
type Match = 'yes' | 'maybe' | undefined

/** A deny or ask rule that matches a command of a line. */
export interface Restriction {
  rule: ApprovalRule
  /** The text of the matched words. */
  command: string
  /** Whether the line certainly runs them. */
  certain: boolean
}

/**
 * Returns the deny or ask rule that matches a command anywhere in a line. Ignores the program's folder, options before
 * the subcommand, and the order of the rule's options. Certain matches come first.
 */
export function findRestriction(
  rules: readonly ApprovalRule[],
  decision: Exclude<RuleDecision, 'allow'>,
  { commands, mentions }: HiddenCommands,
): Restriction | undefined {
  let possible: Restriction | undefined
  const mentioning = mentions.map((names) => ({ names, set: new Set(names) }))
  for (const rule of rules.filter((each) => each.decision === decision)) {
    const pattern = patternWords(rule.pattern)
    for (const words of commands) {
      const match = matchRestriction(rule, pattern, words)
      if (match === undefined) continue
      const found = { rule, command: commandText(words.map(({ text }) => text)), certain: match === 'yes' }
      if (found.certain) return found
      possible ??= found
    }
    if (possible === undefined && mentioning.some((mention) => isMentioned(pattern, mention)))
      possible = { rule, command: rule.pattern.trim(), certain: false }
  }
  return possible
}

/** Programs whose subcommands can also be separate programs: `git-push`. */
const dashedPrograms = /^(git|cargo|docker|kubectl|npm)-(.+)$/i

function matchRestriction(rule: ApprovalRule, pattern: readonly string[], words: readonly ReadWord[]): Match {
  const [program, ...rest] = words
  if (program === undefined || program.unknown !== undefined) return undefined
  const name = programName(program.text)
  const dashed = dashedPrograms.exec(name)
  if (dashed?.[1] !== undefined && dashed[2] !== undefined) {
    const match = matchRestriction(rule, pattern, [{ text: dashed[1] }, { text: dashed[2] }, ...rest])
    if (match !== undefined) return match
  }
  const wanted = programName(pattern[0] ?? '')
  if (!isProgram(wanted, name) && !(rule.match === 'form' && wanted.startsWith('<'))) return undefined
  const bare = name.toLowerCase() === 'git' ? withoutGitOptions(rest)?.rest : rest
  if (rule.match === 'prefix') return matchPrefix(pattern.slice(1), rest, bare, name.toLowerCase() === 'git')
  return (
    matchAll(rule.match, pattern.slice(1), rest) ??
    (bare === undefined ? 'maybe' : bare === rest ? undefined : matchAll(rule.match, pattern.slice(1), bare))
  )
}

/** Whether a rule applies to a program. A rule without a version applies to all versions: `pip` also to `pip3.11`. */
function isProgram(wanted: string, name: string): boolean {
  const lower = name.toLowerCase()
  return [lower, lower.replace(/^([a-z+]+)-?\d[\d.]*$/, '$1')].includes(wanted.toLowerCase())
}

/**
 * Matches the words of a prefix rule. Its options may appear anywhere. Its other words must start the command in this
 * order, with only options between them.
 * @param bare the words without the options before the subcommand; undefined if that is not certain
 * @param isExact whether `bare` starts with the subcommand
 */
function matchPrefix(
  pattern: readonly string[],
  words: readonly ReadWord[],
  bare: readonly ReadWord[] | undefined,
  isExact: boolean,
): Match {
  const isOption = (word: string) => /^-./.test(word) && word !== '--'
  const options = pattern.filter(isOption)
  const names = pattern.filter((word) => !isOption(word))
  const found = [
    inOrder(names, bare ?? words, isExact && bare !== undefined),
    ...options.map((option) => optionIn(option, words)),
  ]
  if (found.includes(undefined)) return undefined
  return found.includes('maybe') || bare === undefined ? 'maybe' : 'yes'
}

/**
 * Whether a command has an option of a rule: `-rf` also as `-f -r` or `-fr`, `--force` also as `--force=x` or `--forc`.
 * Long and short options with the same first letter may be equivalent: `-Rf`, `--recursive --force`, `-f`.
 */
function optionIn(option: string, words: readonly ReadWord[]): Match {
  const texts = words.filter(({ unknown }) => unknown === undefined).map(({ text }) => text)
  const isUncertain = texts.length < words.length
  const letters = texts.filter((text) => /^-[^-]/.test(text)).join('')
  const long = texts.filter((text) => text.startsWith('--')).map((text) => text.split('=')[0] ?? '')
  const isLong = option.startsWith('--')
  const has = isLong
    ? long.some((name) => name === option || (name.length > 3 && option.startsWith(name)))
    : texts.includes(option) || Array.from(option.slice(1)).every((letter) => letters.includes(letter))
  if (has) return 'yes'
  const wanted = isLong ? [option.slice(2, 3)] : Array.from(option.slice(1))
  const others = (letters + (isLong ? '' : long.map((name) => name.slice(2, 3)).join(''))).toLowerCase()
  return isUncertain || wanted.every((letter) => others.includes(letter.toLowerCase())) ? 'maybe' : undefined
}

/**
 * Whether names occur in order, with only options between them. @param isExact whether no option value precedes the
 * first
 */
function inOrder(names: readonly string[], words: readonly ReadWord[], isExact: boolean): Match {
  /** Possible numbers of names found so far, and whether each is certain. */
  let states = new Map<number, boolean>([[0, true]])
  let afterOption = false
  const best = (): Match => {
    const certain = states.get(names.length)
    return certain === undefined ? undefined : certain ? 'yes' : 'maybe'
  }
  let result = best()
  for (const [index, { text, unknown }] of words.entries()) {
    if (result === 'yes' || states.size === 0) break
    const next = new Map<number, boolean>()
    const add = (count: number, certain: boolean) => next.set(count, (next.get(count) ?? false) || certain)
    for (const [count, certain] of states) {
      if (count === names.length) continue
      if (unknown !== undefined) for (let more = count; more <= names.length; more++) add(more, false)
      // Options, toolchains (`cargo +nightly`) and variables (`make A=b`).
      else if (/^[-+]|^\w+=/.test(text)) add(count, certain)
      else {
        if (text === names[count]) add(count + 1, certain)
        // It may be the value of the preceding option.
        if (afterOption && !(isExact && index === 0)) add(count, false)
      }
    }
    afterOption = unknown === undefined && /^-[^=]*$/.test(text) && text !== '--'
    states = next
    const now = best()
    if (now !== undefined) result = now
  }
  return result
}

/** Compares all words of a command with those of an exact rule or a form rule. */
function matchAll(match: 'exact' | 'form', pattern: readonly string[], words: readonly ReadWord[]): Match {
  const fits = (wanted: string, text: string) =>
    match === 'exact' ? wanted === text : matchesForm(wanted, text, undefined)
  const unknown = words.findIndex((word) => word.unknown !== undefined)
  const known = unknown < 0 ? words : words.slice(0, unknown)
  if (!known.every(({ text }, index) => fits(pattern[index] ?? '', text))) return undefined
  if (unknown >= 0) return 'maybe'
  return pattern.length === words.length ? 'yes' : undefined
}

/** Whether the names of a rule occur in order. Ignores options and placeholders, so it may match too much. */
function isMentioned(
  pattern: readonly string[],
  { names, set }: { names: readonly string[]; set: ReadonlySet<string> },
): boolean {
  const [program = '', ...rest] = pattern
  const wanted = [programName(program), ...rest.filter((word) => !/^[-<]/.test(word))].map((word) => word.toLowerCase())
  if (!wanted.every((word) => set.has(word))) return false
  let at = 0
  for (const name of names) if (name === wanted[at]) at++
  return at === wanted.length
}

function matchesCommand({ match, pattern }: ApprovalRule, { words, insidePaths }: RuleSubject): boolean {
  const wanted = patternWords(pattern)
  if (match === 'prefix') return wanted.every((word, index) => words[index] === word)
  return (
    wanted.length === words.length && wanted.every((word, index) => matchesForm(word, words[index] ?? '', insidePaths))
  )
}

function matchesForm(wanted: string, word: string, insidePaths: ReadonlySet<string> | undefined): boolean {
  switch (wanted) {
    case '<path>':
      return !word.startsWith('-') && (insidePaths === undefined || insidePaths.has(word))
    case '<name>':
      return /^\w[\w.:-]*$/.test(word)
    case '<number>':
      return /^\d+$/.test(word)
    case '<word>':
      return word !== '' && !word.startsWith('-')
    default:
      return wanted === word
  }
}

/** Joins words to a command line and quotes them where a shell requires it. */
export function commandText(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')
}
