import type { ReadCommand, ReadWord, StandardInput } from '../command/shellReading.ts'
import type { Launcher } from './launcherTable.ts'

/** The commands that a command runs. */
export interface LaunchedCommands {
  commands?: ReadCommand[]
  /** Lines for a shell. */
  lines?: ReadWord[]
  unknown?: string
  /** Whether it may run programs that its arguments name. */
  mentions?: boolean
}

export const computedProgram = 'The shell computes the name of a program.'
/** Stands for arguments that a launcher adds. */
export const anyWords: ReadWord = { text: '…', unknown: 'words' }

/** Returns the name of a program: `rm` for `/bin/rm` and `rm.exe`. */
export function programName(word: string): string {
  return word.replace(/^.*[/\\]/s, '').replace(/\.exe$/i, '')
}

/** Whether a word is a pattern for file names that do not look like options. */
export function isFilePattern({ text, unknown }: ReadWord): boolean {
  return unknown === 'words' && !/[$`<>]/.test(text) && /^[\w./@+]/.test(text)
}

export function isLiteral({ unknown }: ReadWord): boolean {
  return unknown === undefined
}

function splitList(list: string | undefined): ReadonlySet<string> {
  return new Set(list?.split(' '))
}

const compiled = new Map<Launcher, Record<'flags' | 'values' | 'lines' | 'split', ReadonlySet<string>>>()

export function optionsOf(launcher: Launcher) {
  const known = compiled.get(launcher)
  if (known) return known
  const { flags, values, lines, split } = launcher
  const options = {
    flags: splitList(flags),
    values: splitList(values),
    lines: splitList(lines),
    split: splitList(split),
  }
  compiled.set(launcher, options)
  return options
}

const unknownOption = (name: string, option: string) => `The option \`${option}\` hides which command \`${name}\` runs.`

/** Finds the command behind the options of a launcher. */
export function runByLauncher(
  launcher: Launcher,
  words: readonly ReadWord[],
  { stdin, words: all }: ReadCommand,
): LaunchedCommands {
  const options = optionsOf(launcher)
  const name = all[0]?.text ?? ''
  const lines: ReadWord[] = []
  const assignments: ReadCommand['assignments'] = []
  let splitWord: ReadWord | undefined
  let replaced: string | undefined
  let operands = launcher.operands ?? 0
  let mentions = false
  let at = 0
  const uncertain = (unknown: string): LaunchedCommands => ({ unknown, mentions: true })
  let ended = false
  for (; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    const { text } = word
    if (!ended && text === '--') {
      ended = true
      continue
    }
    if (!ended && text.startsWith('-') && (text.length > 1 || options.flags.has('-'))) {
      const found = readOption(text, options)
      if (found === undefined) return uncertain(unknownOption(name, text))
      if (found.takes === undefined) {
        if (!isLiteral(word)) return uncertain(unknownOption(name, text))
        if (/^(?:-i|--replace)$/.test(found.option)) replaced = '{}'
        continue
      }
      const value: ReadWord | undefined = found.value === undefined ? words[++at] : { ...word, text: found.value }
      if (value === undefined) break
      if (value.unknown === 'words' && !isFilePattern(value))
        return uncertain(`The value of \`${found.option}\` hides which command \`${name}\` runs.`)
      // `-o ProxyCommand=…`: an option can name a program too.
      if (/[\s=]/.test(value.text)) mentions = true
      if (found.takes === 'lines') lines.push(value)
      if (found.takes === 'split') {
        splitWord = value
        at++
        break
      }
      if (/^(?:-I|-i|-J|--replace)$/.test(found.option)) replaced = value.text
      continue
    }
    if (word.unknown === 'words' && !isFilePattern(word))
      return uncertain(`The argument \`${text}\` hides which command \`${name}\` runs.`)
    if (launcher.assignments && /^\w+=/.test(text)) {
      assignments.push({ name: text.split('=')[0] ?? '', value: { ...word, text: text.slice(text.indexOf('=') + 1) } })
      continue
    }
    if (operands === 0) break
    operands--
    // The value decides whether an option or the command follows.
    if (!isLiteral(word)) mentions = true
  }
  const rest = words.slice(at)
  const tail = launcher.appends ? [...rest, anyWords] : rest
  const inner = tail.map((word) => fill(word, replaced))
  if (splitWord !== undefined) {
    const tailText = rest.map(({ text, unknown }) => (unknown === undefined ? quote(text) : '"$@"')).join(' ')
    return {
      lines: [{ ...splitWord, text: `${assignmentText(assignments)}${splitWord.text} ${tailText}` }],
      mentions: true,
    }
  }
  if (rest.length === 0) {
    if (assignments.length > 0) return { commands: [{ words: [], assignments, stdin }], lines, mentions }
    if (lines.length > 0 || !(launcher.shell || launcher.names === 'parallel')) return { lines, mentions }
    return { ...runFromInput(stdin, name), mentions }
  }
  if (launcher.joined) return { ...joinedRun(inner, name, stdin), mentions: true }
  return { lines, commands: [{ words: inner, assignments, stdin }], mentions }
}

/** Returns the words that a launcher joins to a shell line. `parallel` takes lines after `:::`. */
function joinedRun(words: readonly ReadWord[], name: string, stdin: StandardInput): LaunchedCommands {
  const mark = words.findIndex(({ text }) => /^::::?\+?$/.test(text))
  const template = mark < 0 ? words : words.slice(0, mark)
  if (template.length === 0) return { lines: words.slice(mark + 1).filter((word) => word !== anyWords) }
  if (template.every((word) => word === anyWords)) return runFromInput(stdin, name)
  // Words that the launcher adds stay marked as computed.
  const text = template.map((word) =>
    word === anyWords || word.unknown === 'part' ? '"$@"' : word.text.replaceAll('{}', '"$1"'),
  )
  return {
    lines: [{ text: text.join(' ') }],
    unknown: template.some((word) => word !== anyWords && word.unknown === 'words') ? computedProgram : undefined,
  }
}

export function fill(word: ReadWord, replaced: string | undefined): ReadWord {
  return replaced !== undefined && replaced !== '' && word.text.includes(replaced)
    ? { ...word, unknown: 'words' }
    : word
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function assignmentText(assignments: ReadCommand['assignments']): string {
  return assignments.map(({ name, value }) => `${name}=${quote(value.text)} `).join('')
}

type OptionKind = 'values' | 'lines' | 'split'

/** Reads a word with options. @returns undefined for an option that is not listed */
export function readOption(
  word: string,
  options: Record<'flags' | OptionKind, ReadonlySet<string>>,
): { option: string; takes?: OptionKind; value?: string } | undefined {
  const kinds = ['values', 'lines', 'split'] as const
  const takes = (option: string) => kinds.find((kind) => options[kind].has(option))
  if (options.flags.has('-#') && /^-\d+$/.test(word)) return { option: word }
  if (options.flags.has(word)) return { option: word }
  if (word.startsWith('--') || takes(word) !== undefined) {
    const equals = word.indexOf('=')
    const option = equals < 0 || !word.startsWith('--') ? word : word.slice(0, equals)
    const kind = takes(option)
    if (kind !== undefined) return { option, takes: kind, value: option === word ? undefined : word.slice(equals + 1) }
    return options.flags.has(option)
      ? { option, ...(option === '--replace' && { takes: 'values', value: word.slice(equals + 1) }) }
      : undefined
  }
  for (let at = 1; at < word.length; at++) {
    const option = `-${word[at]}`
    const kind = takes(option)
    const rest = word.slice(at + 1)
    if (kind !== undefined) return { option, takes: kind, value: rest === '' ? undefined : rest }
    if (options.flags.has(`${option}?`)) return rest === '' ? { option } : { option, takes: 'values', value: rest }
    if (!options.flags.has(option)) return undefined
    if (rest === '') return { option }
  }
  return undefined
}

/** Returns the commands that a shell reads from its input. */
export function runFromInput(stdin: StandardInput, name: string): LaunchedCommands {
  if (stdin.kind === 'text') return { lines: [stdin.word] }
  const isScript = stdin.kind === 'file' && isLiteral(stdin.word) && !isDevice(stdin.word.text)
  return isScript ? {} : { unknown: `\`${name}\` reads its commands from its input.` }
}

/** Whether a path is a device file, such as standard input. */
export function isDevice(path: string): boolean {
  return /^-$|^\/(?:dev|proc)\//.test(path)
}
