import { readInvocations } from './invocations.ts'
import { destructiveRules, runners, shells, type DestructiveRule } from './destructiveRules.ts'

/** A line inside a line (`bash -c '…'`) is read this deep. */
const maxDepth = 4
/** Shown to the user; more would not be read. */
const maxReasons = 4

/** Files that keep nothing. */
const harmlessTargets = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/

/**
 * Why a command line loses something for good, one sentence a reason. For the look of the question only: a line without a reason is
 * not harmless.
 */
export async function destructiveReasons(line: string): Promise<string[]> {
  return [...new Set(await reasonsOf(line, 0))].slice(0, maxReasons)
}

async function reasonsOf(line: string, depth: number): Promise<string[]> {
  const read = await readInvocations(line)
  if (!read) return ['The line is too long to be checked.']
  const reasons = read.overwritten
    .filter((file) => !harmlessTargets.test(file))
    .map((file) => `\`> ${file}\` replaces what the file holds.`)
  for (const words of read.commands) {
    reasons.push(...reasonsOfWords(words))
    const inner = innerLine(words)
    if (inner !== undefined)
      reasons.push(
        ...(depth < maxDepth ? await reasonsOf(inner, depth + 1) : ['Its lines are nested too deep to be checked.']),
      )
  }
  return reasons
}

function reasonsOfWords(words: readonly string[]): string[] {
  const own = reasonOf(words)
  const reasons = own === undefined ? [] : [own]
  // Which of a runner's words begin the other command depends on its options: each is tried.
  if (runners.has(nameOf(words[0]))) {
    for (let start = 1; start < words.length; start += 1) {
      const inner = reasonOf(words.slice(start))
      if (inner !== undefined) return [...reasons, inner]
    }
  }
  return reasons
}

function reasonOf(words: readonly string[]): string | undefined {
  const program = nameOf(words[0])
  const rest = withoutGlobals(program, words.slice(1))
  for (const rule of destructiveRules) {
    const matched = matches(rule, program, rest)
    if (matched !== undefined) return `\`${[program, ...matched].join(' ')}\` ${rule.why}.`
  }
  return undefined
}

/** @returns the words beside the program that make it destructive; undefined where the rule does not fit */
function matches(rule: DestructiveRule, program: string, rest: readonly string[]): string[] | undefined {
  const named = rule.program
    .split('|')
    .some((name) => (name.endsWith('*') ? program.startsWith(name.slice(0, -1)) : program === name))
  if (!named) return undefined
  const plain = rest.filter((word) => !/^-./.test(word))
  const sub = rule.sub?.split('|').find((words) => words.split(' ').every((word, at) => plain[at] === word))
  if (rule.sub !== undefined && sub === undefined) return undefined
  if (rule.unless !== undefined && optionIn(rest, rule.unless) !== undefined) return undefined
  const option = rule.options === undefined ? undefined : optionIn(rest, rule.options)
  if (rule.options !== undefined && option === undefined) return undefined
  const argument = rule.argument && rest.find((word) => rule.argument?.test(word))
  if (rule.argument && argument === undefined) return undefined
  return [sub, option, argument].filter((word) => word !== undefined)
}

/** The word that is one of the options: by name, by an abbreviation of a long one, or among joined letters. */
function optionIn(words: readonly string[], options: string): string | undefined {
  const before = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  return before.find((word) =>
    options.split(' ').some((option) => {
      if (option.startsWith('--')) {
        const [name = ''] = word.split('=')
        return name.length > 4 && option.startsWith(name)
      }
      return word === option || (option.length === 2 && /^-[a-z0-9]+$/i.test(word) && word.includes(option.slice(1)))
    }),
  )
}

/** Options of git that stand before its sub-command and take a value. */
function withoutGlobals(program: string, words: readonly string[]): readonly string[] {
  if (program !== 'git') return words
  let start = 0
  while (start < words.length && words[start]?.startsWith('-'))
    start += /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path))$/.test(words[start] ?? '') ? 2 : 1
  return words.slice(start)
}

/** `/usr/bin/rm` and `rm.exe` are `rm`. */
function nameOf(word: string | undefined): string {
  return (word ?? '').replace(/^.*[/\\]/, '').replace(/\.exe$/i, '')
}

/** The line that a command gives to a shell: `bash -c LINE`, `sudo sh -c LINE`, `eval WORDS`. */
function innerLine(words: readonly string[]): string | undefined {
  if (nameOf(words[0]) === 'eval') return words.slice(1).join(' ')
  const shell = words.findIndex((word) => shells.has(nameOf(word)))
  if (shell === -1 || (shell > 0 && !runners.has(nameOf(words[0])))) return undefined
  const option = words.findIndex((word, at) => at > shell && /^-[a-z]*c$/.test(word))
  return option === -1 ? undefined : words[option + 1]
}
