import { once } from '../../shared/async/once.ts'
import type { ReadCommand, ReadWord, ShellReading, StandardInput } from '../command/shellReading.ts'
import { computedProgram, runByLauncher, programName, type LaunchedCommands } from './launchedCommands.ts'
import { launchers, looseLaunchers, plainPrograms, plainSubcommands, shellNames } from './launcherTable.ts'
import { readOnlyForm } from './readOnly/readOnlyForm.ts'
import { runByLooseLauncher, runByShell, specialRuns } from './specialRuns.ts'

/** Reads the commands of a line; see `readShellLine` in command/. */
export type ReadShellLine = (line: string) => Promise<ShellReading>

/** All commands that a line runs, as far as they can be found before it runs. */
export interface HiddenCommands {
  /** Words of each command, including commands behind launchers and in text that a shell runs. */
  commands: readonly (readonly ReadWord[])[]
  /** Lower-case names in the arguments of programs that may run other programs. */
  mentions: readonly (readonly string[])[]
  /** Why further, undetected commands may run: a sentence. */
  unknown?: string
}

/** Maximum nesting of launchers and of lines in lines. */
const maxDepth = 10
/** Maximum number of commands, so that nested lines end. */
const maxCommands = 2000

/** Finds all commands of a line, including those behind launchers (`env`, `sudo`, `xargs`) and in text for a shell. */
export async function findHiddenCommands(line: string, read: ReadShellLine): Promise<HiddenCommands> {
  const commands: ReadWord[][] = []
  const mentions: string[][] = []
  let unknown: string | undefined
  let count = 0

  async function searchLine({ text, unknown: isComputed }: ReadWord, depth: number): Promise<void> {
    if (isComputed !== undefined) unknown ??= 'The shell computes the line that another shell runs.'
    if (depth > maxDepth) unknown ??= 'Its commands are nested too deeply.'
    if (depth > maxDepth || text.trim() === '') return
    const reading = await read(text)
    unknown ??= reading.unread
    let feedsProgram = false
    for (const command of reading.commands) feedsProgram = (await searchCommand(command, depth)) || feedsProgram
    mentions.push(...reading.values.map((value) => namesIn([value])))
    // A program may execute what another one pipes to it.
    if (feedsProgram)
      mentions.push(...reading.commands.map(({ words, stdin }) => namesIn([...words, ...inputText(stdin)])))
  }

  /** @returns whether a program with unknown effects reads the output of another one */
  async function searchCommand(command: ReadCommand, depth: number): Promise<boolean> {
    if (command.words.length > 0) commands.push(command.words)
    if (++count > maxCommands || depth > maxDepth) {
      unknown ??= 'It runs too many commands.'
      return false
    }
    const run = runBy(command)
    unknown ??= run.unknown
    if (run.mentions) mentions.push(namesIn([...command.words.slice(1), ...inputText(command.stdin)]))
    for (const { name, value } of command.assignments) {
      mentions.push(namesIn([value]))
      if (!runsValue.test(name)) continue
      if (value.unknown !== undefined) unknown ??= `The shell computes the variable ${name}, which programs run.`
      else await searchLine(withTail(value), depth + 1)
    }
    for (const inner of run.commands ?? []) await searchCommand(inner, depth + 1)
    for (const inner of run.lines ?? []) await searchLine(inner, depth + 1)
    return run.mentions === true && command.stdin.kind === 'unknown'
  }

  await searchLine({ text: line }, 0)
  return { commands, mentions, unknown }
}

/** Variables whose value programs run as a command. */
const runsValue =
  /^(?:PROMPT_COMMAND|PS[0-4]|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|SHELL|GIT_SSH)$|(?:EDITOR|PAGER|_COMMAND|ASKPASS|_DIFF|_RSH)$/

/** A line to which arguments are added. Leaves them out, because no rule needs them to match. */
function withTail(line: ReadWord): ReadWord {
  return { text: line.text.replace(/^!/, '') }
}

function inputText(stdin: StandardInput): ReadWord[] {
  return stdin.kind === 'text' ? [stdin.word] : []
}

/** Splits words into the names that a program could run, in lower case. `-xrm` counts as `-xrm` and `rm`. */
function namesIn(words: readonly ReadWord[]): string[] {
  return words
    .flatMap(({ text }) => text.toLowerCase().split(/[^\w.+-]+/))
    .flatMap((name) => (name.includes('.') ? [name, ...name.split('.')] : [name]))
    .filter((name) => name !== '')
    .flatMap((name) => (/^-[A-Za-z]\w/.test(name) ? [name, name.slice(2)] : [name]))
}

const launchersByName = once(
  () => new Map(launchers.flatMap((each) => each.names.split(' ').map((name) => [name, each]))),
)

function runBy(command: ReadCommand): LaunchedCommands {
  const [first, ...rest] = command.words
  if (first === undefined) return {}
  if (first.unknown !== undefined) return { unknown: computedProgram, mentions: true }
  const name = programName(first.text)
  const special = specialRuns.get(name) ?? (shellNames.has(name) ? runByShell : undefined)
  if (special !== undefined) return special(rest, command)
  const launcher = launchersByName().get(
    /^ld(?:-.*)?\.so(?:\.\d+)?$|^ld-(?:musl-.*|\d.*)\.so/.test(name) ? 'ld.so' : name,
  )
  if (launcher !== undefined && !isLookup(name, rest)) return runByLauncher(launcher, rest, command)
  if (looseLaunchers.has(name)) return runByLooseLauncher(rest, command)
  return { mentions: !isPlain(name, command.words) }
}

/** `command -v rm` only looks up a program. */
function isLookup(name: string, rest: readonly ReadWord[]): boolean {
  return name === 'command' && /^-p?[vV]/.test(rest[0]?.text ?? '')
}

function isPlain(name: string, words: readonly ReadWord[]): boolean {
  if (plainPrograms.has(name)) return true
  const subcommand = words.slice(1).find(({ text }) => !text.startsWith('-'))
  if (subcommand?.unknown === undefined && plainSubcommands[name]?.has(subcommand?.text ?? '')) return true
  return words.every(({ unknown }) => unknown === undefined) && !('why' in readOnlyForm(words.map(({ text }) => text)))
}
