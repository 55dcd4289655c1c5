import path from 'node:path/posix'
import type { InstructionSource } from '../../shared/agent/attachments.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { compileGlob } from '../base/glob.ts'
import { inEachFolder, topFolders } from '../base/workspaceRoots.ts'
import { fieldText, parseFrontMatter, splitList } from './frontMatter.ts'
import {
  joinNotes,
  readUserText,
  readWorkspaceText,
  type InstructionDeps,
  type ReadText,
  workspaceEntries,
} from './instructionFiles.ts'
import { truncateAtLine, promptBlock, allocateRoom } from './instructionText.ts'
import { listSkills } from './skills.ts'

/** A text for the model with its source. */
export interface InjectedText {
  source: InstructionSource
  text: string
}

export interface Instructions {
  /** Whether the folder is not trusted, so that only the user's own instructions are returned. */
  restricted(): boolean
  /**
   * Returns the instructions at the start of a conversation: the user's own file, top-level files of the workspace with
   * their imports, rules that always apply, and lists of the other rules and skills. Never throws for an unreadable
   * file; its note gives the reason.
   * @param room maximum characters in total, in addition to the limit per file
   */
  atStart(room: number, options: { skills: boolean }, signal: AbortSignal): Promise<InjectedText[]>
  /**
   * Returns the instructions for files that were read, changed or attached: those in their parent folders, and rules
   * with matching globs.
   * @param paths relative to the workspace
   * @param excluded ids of sources to skip
   */
  forPaths(
    paths: readonly string[],
    excluded: ReadonlySet<string>,
    room: number,
    signal: AbortSignal,
  ): Promise<InjectedText[]>
}

/** Id of the source of the user's own file. */
export const userInstructionsId = 'user:AGENTS.md'
/** Maximum characters of a file. */
const maxFileLength = 16_000
export const topFiles = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const
export const folderFiles = ['AGENTS.md', 'CLAUDE.md'] as const
const maxDescription = 200

/**
 * Reads instructions, rules and skills of the workspace and the user. They are only text for the model; settings,
 * approvals and endpoints are never read from them.
 */
export function createInstructions(deps: InstructionDeps): Instructions {
  /** Starts reading files in parallel, because each request looks for instructions. */
  function startReading(names: readonly string[], signal: AbortSignal): Promise<ReadText | undefined>[] {
    return names.map((name) => started(readWorkspaceText(deps, name, signal)))
  }

  /** Returns a file with its imports, each once. */
  async function withImports(
    text: Promise<ReadText | undefined>,
    seen: Set<string>,
    signal: AbortSignal,
  ): Promise<ReadText[]> {
    const read = await text
    if (!read || seen.has(read.path)) return []
    seen.add(read.path)
    return [read, ...(await readImports(deps, read, seen, signal))]
  }

  return {
    restricted: () => !deps.trusted(),

    async atStart(room, { skills }, signal) {
      const found: SourceText[] = []
      const files = topFiles.flatMap((name) => inEachFolder(deps, name))
      const reading = startReading(files, signal)
      const readingRules = started(readRules(deps, signal))
      const own = await readUserText(deps.userData, 'AGENTS.md')
      if (own)
        found.push({
          kind: 'instructions',
          id: userInstructionsId,
          label: 'Your own AGENTS.md',
          ...joinNotes(own.note),
          text: own.text,
        })
      const seen = new Set<string>()
      for (const text of reading) {
        for (const read of await withImports(text, seen, signal)) found.push(toSourceText('instructions', read))
      }
      const rules = await readingRules
      for (const rule of rules) if (rule.always) found.push(toSourceText('rule', rule))
      const described = rules.filter((rule) => !rule.always && rule.description !== '')
      if (described.length > 0) {
        const lines = described.map((rule) => `- ${rule.path}: ${rule.description.slice(0, maxDescription)}`)
        found.push({
          kind: 'rule',
          id: ruleListId,
          label: plural(described.length, 'rule'),
          text: ['Rules for some tasks. Read the file of a rule that applies before you start:', ...lines].join('\n'),
        })
      }
      if (skills) {
        const list = await listSkills(deps, signal)
        const lines = list.map((skill) => `- ${skill.name}: ${skill.description}`)
        const text = [
          'Skills: instructions for special tasks. If one applies, load it with load_skill before you start:',
          ...lines,
        ].join('\n')
        if (list.length > 0) found.push({ kind: 'skills', id: 'skills', label: plural(list.length, 'skill'), text })
      }
      return truncateToRoom(found, room)
    },

    async forPaths(paths, excluded, room, signal) {
      const found: SourceText[] = []
      const seen = new Set(excluded)
      const folders = [...new Set(paths.flatMap(foldersAbove))].toSorted((a, b) => a.length - b.length)
      const names = folders
        .flatMap((folder) => folderFiles.map((name) => `${folder}/${name}`))
        .filter((name) => !seen.has(name))
      const readingRules = started(readRules(deps, signal))
      for (const text of startReading(names, signal))
        for (const read of await withImports(text, seen, signal)) found.push(toSourceText('instructions', read))
      for (const rule of await readingRules) {
        if (!rule.always && !seen.has(rule.path) && paths.some(rule.matches)) found.push(toSourceText('rule', rule))
      }
      return truncateToRoom(found, room)
    },
  }
}

/** Marks the rejection of a promise that is awaited later as handled. */
function started<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Id of the list of rules that a model can read if they apply. */
const ruleListId = 'rules'

/**
 * Returns the instructions of the user and the workspace for one file, for a request without tools.
 * @param room maximum characters
 */
export async function instructionsForFile(
  instructions: Pick<Instructions, 'atStart' | 'forPaths'>,
  file: string,
  room: number,
  signal: AbortSignal,
): Promise<string> {
  const start = await instructions.atStart(room, { skills: false }, signal)
  // A model without tools cannot read the listed rules.
  const general = start.filter(({ source }) => source.id !== ruleListId)
  const used = general.reduce((sum, { text }) => sum + text.length, 0)
  const excluded = new Set(start.map(({ source }) => source.id))
  const own = await instructions.forPaths([file], excluded, Math.max(0, room - used), signal)
  return [...general, ...own].map(({ text }) => text).join('\n')
}

type SourceText = Omit<InstructionSource, 'characters'> & { text: string }

function toSourceText(
  kind: InstructionSource['kind'],
  { path: name, text, note }: { path: string; text: string; note?: string },
): SourceText {
  return { kind, id: name, label: name, path: name, text, ...joinNotes(note) }
}

/** Truncates texts to the limit per file and to `room` characters in total. Notes omissions in the texts. */
function truncateToRoom(sources: readonly SourceText[], room: number): InjectedText[] {
  const limits = allocateRoom(
    sources.map(({ text }) => Math.min(maxFileLength, text.length)),
    room,
  )
  return sources.flatMap(({ text: whole, note, ...source }, at) => {
    if (whole === '' && note === undefined) return []
    const { text, missing } = truncateAtLine(whole, limits[at] ?? 0)
    const where = source.path === undefined ? '' : ` Read ${source.path} for the rest.`
    const truncation =
      missing === 0
        ? undefined
        : `truncated: ${formatNumber(missing)} of ${plural(whole.length, 'character')} are not included`
    const lines = [
      ...(text === '' ? [] : [text]),
      ...(missing === 0 ? [] : [`[${plural(missing, 'more character')} omitted here.${where}]`]),
    ]
    if (lines.length === 0 && note !== undefined) lines.push(`[${note}]`)
    return [
      {
        source: { ...source, characters: text.length, ...joinNotes(note, truncation) },
        text: promptBlock(source.kind, { from: source.label }, lines.join('\n')),
      },
    ]
  })
}

/** Returns the parent folders of a file below the workspace root, outermost first. */
function foldersAbove(file: string): string[] {
  const segments = path
    .dirname(file)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}

/** Maximum import depth, and maximum number of imported files per instruction file. */
const maxDepth = 4
const maxImports = 20
/** Maximum characters of a path. */
const maxName = 500

/**
 * Reads the files that an instruction file imports with `@path` (as in CLAUDE.md), recursively. Paths are relative to
 * the importing file and must stay inside the workspace. Ignores names without a file, such as `@param`, and names in
 * code.
 * @param seen paths to skip; paths that are read are added
 */
async function readImports(
  deps: InstructionDeps,
  file: ReadText,
  seen: Set<string>,
  signal: AbortSignal,
): Promise<ReadText[]> {
  const found: ReadText[] = []
  let waiting = [file]
  for (let depth = 0; depth < maxDepth && waiting.length > 0; depth += 1) {
    const next: ReadText[] = []
    for (const importing of waiting) {
      for (const name of importedNames(importing.text)) {
        if (found.length >= maxImports) return found
        const read = await readWorkspaceText(deps, path.join(path.dirname(importing.path), name), signal)
        // A note means that the file could not be read, e.g. because it is outside the workspace; the import stays as
        // text.
        if (!read || read.note?.startsWith('not read') || seen.has(read.path)) continue
        seen.add(read.path)
        found.push(read)
        next.push(read)
      }
    }
    waiting = next
  }
  return found
}

function importedNames(text: string): string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '')
  const words = [...prose.matchAll(/(?:^|\s)@([^\s@"'<>]+)/g)]
    .map((match) => match[1] ?? '')
    .filter((word) => word.length <= maxName)
  const names = words.map((word) => word.replace(/[.,;:!?)]+$/, ''))
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('~') && !name.startsWith('/'))
}

/** A rule of the workspace. It applies always, to some files, or if the model considers it relevant. */
interface Rule {
  /** Relative to the workspace. */
  path: string
  description: string
  /** Applies to every conversation. */
  always: boolean
  text: string
  note?: string
  /** Whether the rule applies to a file. */
  matches(path: string): boolean
}

const folders = [
  { folder: '.tizona/rules', suffix: '.md', withoutFields: true },
  // Cursor rules without fields apply only when the user refers to them.
  { folder: '.cursor/rules', suffix: '.mdc', withoutFields: false },
] as const
const maxGlobs = 50
const maxGlobLength = 300

/** Reads the rules of the workspace. Fields as in Cursor's files: `globs`, `alwaysApply`, `description`. */
export async function readRules(deps: InstructionDeps, signal: AbortSignal): Promise<Rule[]> {
  const rules: Rule[] = []
  for (const { folder, suffix, withoutFields } of folders) {
    for (const top of topFolders(deps)) {
      const place = top === '.' ? folder : `${top}/${folder}`
      const names = (await workspaceEntries(deps, place, 'file', signal)).filter((name) => name.endsWith(suffix))
      for (const name of names) {
        const read = await readWorkspaceText(deps, `${place}/${name}`, signal)
        if (read) rules.push(inTop(top, toRule(read, withoutFields)))
      }
    }
  }
  return rules
}

/** The globs of a rule are relative to its folder of the workspace. */
function inTop(top: string, rule: Rule): Rule {
  if (top === '.') return rule
  return { ...rule, matches: (path) => path.startsWith(`${top}/`) && rule.matches(path.slice(top.length + 1)) }
}

function toRule(read: { path: string; text: string; note?: string }, withoutFields: boolean): Rule {
  const matter = parseFrontMatter(read.text)
  const description = fieldText(matter, 'description')
  const globs = (matter.fields.get('globs') ?? []).flatMap(splitList)
  const usable = globs
    .filter((glob) => glob.length <= maxGlobLength)
    .slice(0, maxGlobs)
    .flatMap((glob) => compileGlob(toPathGlob(glob)) ?? [])
  const alwaysApply = fieldText(matter, 'alwaysApply').toLowerCase()
  return {
    path: read.path,
    description,
    always: alwaysApply === 'true' || (withoutFields && alwaysApply === '' && globs.length === 0 && description === ''),
    text: matter.body.trim(),
    ...joinNotes(
      read.note,
      usable.length < globs.length ? `${plural(globs.length - usable.length, 'glob')} ignored` : undefined,
    ),
    matches: (path) => usable.some((matches) => matches(path)),
  }
}

/** A glob without a folder matches files in any folder, like in an ignore file. */
function toPathGlob(glob: string): string {
  const plain = glob.replace(/^\.?\//, '')
  return plain.includes('/') || glob.startsWith('/') ? plain : `**/${plain}`
}
