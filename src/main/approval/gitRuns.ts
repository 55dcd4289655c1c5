import type { ReadCommand, ReadWord } from '../command/shellReading.ts'
import { anyWords, isLiteral, optionsOf, quote, readOption, type LaunchedCommands } from './launchedCommands.ts'
import { gitCommands, type Launcher } from './launcherTable.ts'

const gitGlobals: Launcher = {
  names: 'git',
  flags:
    '-p -P -v -h --paginate --no-pager --bare --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --version ' +
    '--help --html-path --man-path --info-path --exec-path --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs',
  values: '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds',
}
/** Matches configuration keys that name a program. */
const gitPrograms =
  /^(?:alias\.|pager\.)|(?:command|cmd|path|helper|editor|pager|askpass|external|textconv|driver|clean|smudge|process|fsmonitor|program|tool|proxy|pack|vcs|hook)$/i
/** Options of git commands whose value is a command, in any spelling. */
const gitRuns = /^--(?:exec|rec|upl|extc|open|ext|to-cmd|cc-cmd|smtp|sendmail|\S*filter)|^-[uxO]|^ext::/

/**
 * Returns the words of a git command from its subcommand on.
 * @returns undefined for an unknown option
 */
export function withoutGitOptions(
  words: readonly ReadWord[],
): { rest: readonly ReadWord[]; settings: ReadWord[] } | undefined {
  const settings: ReadWord[] = []
  const options = optionsOf(gitGlobals)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? anyWords
    if (!word.text.startsWith('-')) return { rest: words.slice(at), settings }
    const found = readOption(word.text, options)
    if (found === undefined || (!isLiteral(word) && found.takes === undefined)) return undefined
    if (found.takes === undefined) continue
    const value = found.value === undefined ? words[++at] : { ...word, text: found.value }
    if (value?.unknown === 'words') return undefined
    if (value && /^(?:-c|--config-env)$/.test(found.option)) settings.push(value)
  }
  return { rest: [], settings }
}

/** Finds what a git command runs: aliases, other git commands, and the programs that settings and options name. */
export function runByGit(words: readonly ReadWord[], { stdin, assignments }: ReadCommand): LaunchedCommands {
  const options = withoutGitOptions(words)
  if (options === undefined) return { unknown: 'An option hides which git command runs.', mentions: true }
  const { rest, settings } = options
  const [subcommand, ...tail] = rest
  const lines: ReadWord[] = []
  let unknown: string | undefined
  let mentions = settings.some(({ text }) => text.includes('ext::'))
  for (const { text, unknown: isComputed } of settings) {
    const key = text.split('=')[0] ?? ''
    const value = text.slice(key.length + 1)
    if (isComputed !== undefined && (/[$`]/.test(key) || gitPrograms.test(key)))
      unknown ??= 'The shell computes a Git setting.'
    if (!gitPrograms.test(key)) continue
    const isGit = key.toLowerCase().startsWith('alias.') && !value.startsWith('!')
    lines.push({ text: isGit ? `git ${value}` : value.replace(/^!/, '') })
  }
  if (subcommand === undefined) return { lines, unknown }
  if (!isLiteral(subcommand)) return { lines, unknown: 'The shell computes the command of git.', mentions: true }
  const alias = settings.find(({ text }) => text.toLowerCase().startsWith(`alias.${subcommand.text.toLowerCase()}=`))
  if (alias !== undefined) {
    const value = alias.text.slice(alias.text.indexOf('=') + 1)
    const given = tail
      .map(({ text, unknown: isComputed }) => (isComputed === undefined ? quote(text) : '"$@"'))
      .join(' ')
    lines.push({ text: value.startsWith('!') ? `${value.slice(1)} ${given}` : `git ${value} ${given}` })
    return { lines, unknown, mentions: true }
  }
  if (!gitCommands.has(subcommand.text))
    return { lines, unknown: `\`git ${subcommand.text}\` may be an alias.`, mentions: true }
  if (assignments.some(({ name }) => name.startsWith('GIT_CONFIG'))) unknown ??= 'Variables change the settings of git.'
  const [action, ...command] = tail
  if (subcommand.text === 'bisect' && action?.text === 'run')
    return { lines, unknown, commands: [{ words: command, assignments: [], stdin }] }
  if (subcommand.text === 'submodule' && tail.some(({ text }) => text === 'foreach')) {
    const after = tail
      .slice(tail.findIndex(({ text }) => text === 'foreach') + 1)
      .filter(({ text }) => !/^(?:--recursive|-q|--quiet)$/.test(text))
    const isComputed = after.some((word) => !isLiteral(word))
    lines.push({ text: after.map(({ text }) => text).join(' '), unknown: isComputed ? 'words' : undefined })
    return { lines, unknown }
  }
  if (subcommand.text === 'for-each-repo') {
    const start = tail.findIndex(({ text }, index) => !text.startsWith('-') && tail[index - 1]?.text !== '--config')
    const inner = start < 0 ? [] : [{ text: 'git' }, ...tail.slice(start)]
    return { lines, unknown, commands: [{ words: inner, assignments: [], stdin }] }
  }
  // `git lfs push`, for example, runs `git push`.
  if (/^(?:subtree|lfs)$/.test(subcommand.text) && gitCommands.has(action?.text ?? ''))
    return { lines, unknown, commands: [{ words: [{ text: 'git' }, ...tail], assignments: [], stdin }] }
  const runs = tail.some(({ text }) => gitRuns.test(text))
  const isComputed = runs && tail.some(({ unknown: part }) => part !== undefined)
  if (isComputed) unknown ??= 'The shell computes a Git argument that names a program.'
  mentions ||= runs
  return { lines, unknown, mentions }
}
