import { quoteWord } from '../../base/quoteWord.ts'

/*
 * Reads the input of an external agent's call (`rawInput`). The protocol leaves its fields to the agents, so they are
 * known by name: those of Claude Code, Codex, Gemini CLI, Goose, opencode and Qwen Code.
 */

/** Meaning of an input field. `about`: does not affect what the call does. */
type FieldMeaning = 'command' | 'arguments' | 'folder' | 'path' | 'pattern' | 'changes' | 'patch' | 'about'

/**
 * The purpose for which an input is read. Some fields have a meaning for one purpose only, e.g. a new text for edits.
 */
export type InputPurpose = 'command' | 'read' | 'write'

/** Names of fields, in lower case without separators. */
const everywhere: Readonly<Partial<Record<FieldMeaning, string>>> = {
  command: 'command cmd commandline script shellcommand',
  arguments: 'args argv arguments',
  folder:
    'cwd workdir workingdir workingdirectory currentdirectory directory dir dirpath directorypath folder folderpath',
  about:
    'description explanation reason justification timeout timeoutms timeoutsecs isbackground runinbackground ' +
    'background callid turnid approvalid toolcallid processid startedatms autoapproved parsedcmd commandactions ' +
    'availabledecisions proposedexecpolicyamendment proposednetworkpolicyamendments',
}
const paths =
  'path paths filepath filepaths absolutepath absolutefilepath fullpath file files filename notebookpath targetfile ' +
  'targetpath sourcepath destinationpath oldpath newpath movepath relativepath source destination src dest from to uri'
const byPurpose: Readonly<Record<InputPurpose, Readonly<Partial<Record<FieldMeaning, string>>>>> = {
  command: { about: 'source' },
  read: {
    path: paths,
    pattern: 'pattern glob include exclude ignore',
    about:
      'offset limit line lines linenumber startline endline start end pages viewrange query regex outputmode headlimit ' +
      'i n a b c context casesensitive caseinsensitive ignorecase type multiline maxresults recursive depth maxdepth encoding',
  },
  write: {
    path: paths,
    changes: 'changes edits replacements',
    patch: 'patch diff unifieddiff',
    about:
      'content contents text filetext newtext oldtext newstring oldstring newstr oldstr newcontent oldcontent before after ' +
      'newsource cellid celltype editmode replaceall expectedreplacements instruction aiproposedcontent modifiedbyuser ' +
      'insertline viewrange type additions deletions encoding',
  },
}

const meanings: Readonly<Record<InputPurpose, ReadonlyMap<string, FieldMeaning>>> = {
  command: meaningsFor('command'),
  read: meaningsFor('read'),
  write: meaningsFor('write'),
}

/** Maximum depth of changes within changes. */
const maxDepth = 4

/** The input of a call, as far as its fields are understood. */
export interface ReportedInput {
  /** Command lines. */
  commands: string[]
  /** Working folders of a command, or folders that a call without a command uses. */
  folders: string[]
  paths: string[]
  /** Fields that are not understood, by name. */
  unknown: Map<string, unknown>
}

/** Returns the named fields of an input. */
export function inputFields(rawInput: unknown): Record<string, unknown> {
  if (typeof rawInput !== 'object' || rawInput === null) return isEmpty(rawInput) ? {} : { input: rawInput }
  return Array.isArray(rawInput) ? { input: rawInput } : { ...rawInput }
}

/** Whether an input contains a command, whatever else it contains. */
export function hasCommand(fields: Record<string, unknown>): boolean {
  return Object.entries(fields).some(
    ([name, value]) => meanings.command.get(normalized(name)) === 'command' && !isEmpty(value),
  )
}

/** Returns the fields other than the command line and its folder, which the card shows by themselves. */
export function fieldsBesideCommand(
  fields: Record<string, unknown>,
  { unknown }: Pick<ReportedInput, 'unknown'>,
): Record<string, unknown> {
  const shown: ReadonlySet<FieldMeaning | undefined> = new Set(['command', 'arguments', 'folder'])
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => unknown.has(name) || !shown.has(meanings.command.get(normalized(name)))),
  )
}

/**
 * Reads an input.
 * @param showsChanges whether the card shows the changes themselves, so that a patch in the input adds nothing
 */
export function readInput(fields: Record<string, unknown>, purpose: InputPurpose, showsChanges = false): ReportedInput {
  const read: ReportedInput = { commands: [], folders: [], paths: [], unknown: new Map() }
  readFields(fields, { purpose, showsChanges, read, depth: 0 })
  if (purpose === 'command') readCommands(fields, read)
  return read
}

interface Reading {
  purpose: InputPurpose
  showsChanges: boolean
  read: ReportedInput
  depth: number
}

function readFields(fields: Record<string, unknown>, reading: Reading): void {
  for (const [name, value] of Object.entries(fields)) {
    if (isEmpty(value)) continue
    const meaning = meanings[reading.purpose].get(normalized(name))
    if (meaning === undefined || !understands(meaning, value, reading)) reading.read.unknown.set(name, value)
  }
}

/** Reads a field. @returns false if its value has an unexpected type */
function understands(meaning: FieldMeaning, value: unknown, reading: Reading): boolean {
  const { purpose, read, showsChanges } = reading
  switch (meaning) {
    // `readCommands` reads both together. Arguments without a command belong to an unknown program.
    case 'command':
    case 'arguments':
      return purpose === 'command'
    case 'folder':
      return addTexts(read.folders, value)
    case 'path':
      return addTexts(read.paths, value) || readNested(value, reading)
    case 'pattern':
      return [value].flat().every((each) => typeof each === 'string' && !mayLeadOut(each))
    case 'changes':
      return readNested(value, reading)
    case 'patch':
      return showsChanges
    case 'about':
      return true
  }
}

/** Reads changes in a list or in an object with paths as keys. */
function readNested(value: unknown, reading: Reading): boolean {
  if (typeof value !== 'object' || value === null || reading.depth >= maxDepth) return false
  const deeper = { ...reading, depth: reading.depth + 1 }
  if (Array.isArray(value))
    return value.every((each) => {
      if (typeof each !== 'object' || each === null || Array.isArray(each)) return false
      readFields({ ...each }, deeper)
      return true
    })
  for (const [name, inner] of Object.entries(value)) {
    if (meanings[reading.purpose].has(normalized(name)) || !/[./\\]/.test(name)) readFields({ [name]: inner }, deeper)
    else {
      reading.read.paths.push(name)
      if (!readNested(inner, deeper)) reading.read.unknown.set(name, inner)
    }
  }
  return true
}

/** Adds command lines, each with its separate arguments. */
function readCommands(fields: Record<string, unknown>, { commands, unknown }: ReportedInput): void {
  const named = (wanted: FieldMeaning) =>
    Object.entries(fields).filter(
      ([name, value]) => meanings.command.get(normalized(name)) === wanted && !isEmpty(value),
    )
  const args = named('arguments')
  for (const [name, value] of named('command')) {
    const words = typeof value === 'string' ? [value] : wordsOf(value)
    if (words === undefined) unknown.set(name, value)
    const added = args.flatMap(([argsName, argsValue]) => {
      const list = wordsOf(argsValue)
      if (list === undefined) unknown.set(argsName, argsValue)
      return list?.map(quoteWord) ?? [textOf(argsValue)]
    })
    // A command without arguments is a shell command line. With arguments, it is the name of a program.
    const program = typeof value === 'string' && added.length === 0 ? value : words?.map(quoteWord).join(' ')
    commands.push([program ?? textOf(value), ...added].join(' '))
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns a list of words; undefined for another value. */
function wordsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.every((word) => typeof word === 'string' || typeof word === 'number') ? value.map(String) : undefined
}

function addTexts(texts: string[], value: unknown): boolean {
  const all = [value].flat()
  if (!all.every((each) => typeof each === 'string')) return false
  texts.push(...all)
  return true
}

/** Whether a pattern can match paths outside the folder of a search. */
function mayLeadOut(pattern: string): boolean {
  return /^[/\\~]|^[a-z]:|(?:^|[/\\{,])\.\.(?:[/\\},]|$)/i.test(pattern)
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function meaningsFor(purpose: InputPurpose): Map<string, FieldMeaning> {
  const entries = [...Object.entries(everywhere), ...Object.entries(byPurpose[purpose])]
  // The keys of both tables are of type `FieldMeaning`.
  return new Map(entries.flatMap(([meaning, names]) => names.split(' ').map((name) => [name, meaning as FieldMeaning])))
}
