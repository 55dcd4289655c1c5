import { patternWords, type ApprovalRule, type RuleDecision } from '../../shared/approvalRules.ts'

/** A command to match against rules. */
export interface RuleSubject {
  words: readonly string[]
  /** Words that are paths in the workspace and not secret. */
  insidePaths?: ReadonlySet<string>
}

/** Returns the rules that apply in a folder. @param folder real path of the workspace */
export function rulesFor(rules: readonly ApprovalRule[], folder: string | undefined): ApprovalRule[] {
  return rules.filter((rule) => rule.folder === null || rule.folder === folder)
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

/**
 * Returns the deny or ask rule that matches a command in any disguise: by the name of the program without its folder,
 * behind programs that run another one (`env`, `xargs`, `sudo`), and in the text of `sh -c`.
 */
export function findRestriction(
  rules: readonly ApprovalRule[],
  decision: Exclude<RuleDecision, 'allow'>,
  words: readonly string[],
): ApprovalRule | undefined {
  const restrictions = rules
    .filter((rule) => rule.decision === decision)
    .map((rule) => ({ rule, program: patternWords(rule.pattern)[0] ?? '' }))
  if (restrictions.length === 0) return undefined
  const texts = words.some((word) => shells.test(programName(word))) ? words.flatMap(commandsInText) : []
  for (const command of [words, ...texts]) {
    const found = findAtPrograms(restrictions, decision, command)
    if (found !== undefined) return found
  }
  return undefined
}

/** Programs that run the command in their arguments. */
const runners =
  /^(?:env|sudo|doas|time|timeout|nice|ionice|nohup|setsid|xargs|exec|command|builtin|eval|stdbuf|chroot|unshare|parallel|watch|strace|script|flock|busybox|npx|bunx|pnpx|find|git|make|uv|poetry|then|do|else|!|\{)$/
const shells = /^(?:(?:ba|da|z|k|fi|a)?sh|eval|xargs|env|su|ssh|watch|script|parallel)$/

/** @param restrictions rules with this decision, and the first word of each */
function findAtPrograms(
  restrictions: readonly { rule: ApprovalRule; program: string }[],
  decision: RuleDecision,
  words: readonly string[],
): ApprovalRule | undefined {
  // The options of a runner determine which word is the program, so each word is tried.
  const behind = runners.test(programName(words[0] ?? '')) || (words[0] ?? '').includes('=')
  const end = behind ? words.length : 1
  for (let at = 0; at < end; at++) {
    const name = programName(words[at] ?? '')
    // Compared first, because a line can have many words.
    const rules = restrictions.flatMap(({ rule, program }) =>
      program === name || program.startsWith('<') || /\s/.test(name) ? [rule] : [],
    )
    if (rules.length === 0) continue
    const command = [name, ...words.slice(at + 1, at + 1 + maxRuleWords)]
    const found =
      findCommandRule(rules, decision, { words: command }) ?? findLineRule(rules, decision, command.join(' '))
    if (found !== undefined) return found
  }
  return undefined
}

/** Maximum number of words of a command that are compared with deny and ask rules. */
const maxRuleWords = 400

/** Approximates the commands in the text of `sh -c`. May find more than the shell would run, but never fewer. */
function commandsInText(text: string): string[][] {
  if (!/\s/.test(text)) return []
  return text
    .split(/[;&|\n(){}`]+/)
    .map((line) => line.split(/[\s"']+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0)
}

/** Returns the name of a program: `rm` for `/bin/rm` and `\rm`. */
function programName(word: string): string {
  return word.replace(/^.*\//s, '').replace(/^\\+/, '')
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
