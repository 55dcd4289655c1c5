/** What a rule does with matching commands. */
export const ruleDecisions = ['allow', 'ask', 'deny'] as const
export type RuleDecision = (typeof ruleDecisions)[number]

/**
 * How a pattern matches. `exact`: the whole line. `prefix`: the first words of each command in the line. `form`: all
 * words of each command, where `<path>`, `<name>`, `<number>` and `<word>` each stand for one argument.
 */
export const ruleMatches = ['exact', 'prefix', 'form'] as const
export type RuleMatch = (typeof ruleMatches)[number]

/** A user's rule for commands. Stored in the settings, which are outside every workspace. */
export interface ApprovalRule {
  decision: RuleDecision
  match: RuleMatch
  pattern: string
  /** Real path of the folder to which the rule is limited; null for every folder. */
  folder: string | null
}

export const maxRules = 500
export const maxPatternLength = 2000

/** Placeholders of a `form` pattern, with the arguments that they match. */
const formArguments = {
  '<path>': '<path> matches a path in the workspace that is not secret.',
  '<name>': '<name> matches a name of letters, digits, and . _ - :',
  '<number>': '<number> matches a number.',
  '<word>': '<word> matches any word that is not an option.',
} as const
export const ruleDecisionTexts: Readonly<Record<RuleDecision, string>> = { allow: 'Allow', ask: 'Ask', deny: 'Deny' }

export const ruleMatchTexts: Readonly<Record<RuleMatch, { label: string; hint: string }>> = {
  exact: { label: 'Exact line', hint: 'The whole line must match exactly.' },
  prefix: { label: 'Starts with', hint: 'Each command that starts with these words, regardless of what follows.' },
  form: {
    label: 'Argument form',
    hint: `The words of a command. ${Object.values(formArguments).join(' ')}`,
  },
}

/** Describes a rule in one line, for the card, the settings and the command line. */
export function ruleText({ decision, match, pattern, folder }: ApprovalRule): string {
  const open = match === 'prefix' ? ' …' : ''
  const rule = `${ruleDecisionTexts[decision]} ${pattern}${open}`
  return folder === null ? rule : `${rule} (in ${folder})`
}

/** Splits a pattern into words. Does not interpret quotes: patterns with quotes need an exact rule. */
export function patternWords(pattern: string): string[] {
  return pattern.trim().split(/\s+/)
}

/** Returns why a pattern cannot be saved; undefined if it can. */
export function patternProblem(match: RuleMatch, pattern: string): string | undefined {
  if (pattern.trim() === '') return 'Enter a command.'
  if (match === 'exact') return undefined
  if (/["'`$\\;&|<>(){}\n]/.test(pattern.replaceAll(/<(?:path|name|number|word)>/g, '')))
    return 'Enter words without quotes and operators, or choose "Exact line".'
  if (match === 'prefix' && /<(?:path|name|number|word)>/.test(pattern))
    return 'Choose "Argument form" for patterns with <path>, <name>, <number> or <word>.'
  if (match === 'form' && (patternWords(pattern)[0] ?? '').startsWith('<'))
    return 'Start the pattern with a program name.'
  return undefined
}
