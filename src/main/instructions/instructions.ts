import path from 'node:path/posix'
import type { InstructionSource } from '../../shared/attachments.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { plural } from '../../shared/plural.ts'
import { readImports } from './importedFiles.ts'
import { readRules } from './workspaceRules.ts'
import { listSkills } from './skills.ts'
import { joinNotes, readUserText, readWorkspaceText, type InstructionDeps, type ReadText } from './instructionFiles.ts'
import { truncateAtLine, promptBlock, allocateRoom } from './instructionText.ts'

/** A text for the model with where it comes from. */
export interface InjectedText {
  source: InstructionSource
  text: string
}

export interface Instructions {
  /**
   * What a conversation begins with: the user's own file, those at the workspace's top with what they import, the rules that always
   * hold, and lists of the rules and skills that can be read when they fit. Never fails for a file that cannot be read: its note says so.
   * @param room characters of all together; each file has a bound of its own as well
   */
  atStart(room: number, options: { skills: boolean }, signal: AbortSignal): Promise<InjectedText[]>
  /**
   * What holds for files that were touched or attached: instructions of the folders above them, and rules whose globs match.
   * @param paths relative to the workspace
   * @param told ids of sources that are not told again
   */
  forPaths(
    paths: readonly string[],
    told: ReadonlySet<string>,
    room: number,
    signal: AbortSignal,
  ): Promise<InjectedText[]>
}

/** Characters of one file. */
const maxFile = 16_000
const topFiles = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const
const folderFiles = ['AGENTS.md', 'CLAUDE.md'] as const
const maxDescribed = 200

/**
 * Instructions, rules and skills of a workspace and its user. They are text for the model and nothing else: no setting, grant or
 * endpoint is ever read from them.
 */
export function createInstructions(deps: InstructionDeps): Instructions {
  /** A file and what it imports, each once. */
  async function fileWithImports(name: string, seen: Set<string>, signal: AbortSignal): Promise<ReadText[]> {
    const read = await readWorkspaceText(deps, name, signal)
    if (!read || seen.has(read.path)) return []
    seen.add(read.path)
    return [read, ...(await readImports(deps, read, seen, signal))]
  }

  return {
    async atStart(room, { skills }, signal) {
      const found: Piece[] = []
      const own = await readUserText(deps.userData, 'AGENTS.md')
      if (own)
        found.push({
          kind: 'instructions',
          id: 'user:AGENTS.md',
          label: 'Your own AGENTS.md',
          ...joinNotes(own.note),
          text: own.text,
        })
      const seen = new Set<string>()
      for (const name of topFiles) {
        for (const read of await fileWithImports(name, seen, signal)) found.push(toPiece('instructions', read))
      }
      const rules = await readRules(deps, signal)
      for (const rule of rules) if (rule.always) found.push(toPiece('rule', rule))
      const described = rules.filter((rule) => !rule.always && rule.description !== '')
      if (described.length > 0) {
        const lines = described.map((rule) => `- ${rule.path}: ${rule.description.slice(0, maxDescribed)}`)
        found.push({
          kind: 'rule',
          id: 'rules',
          label: plural(described.length, 'rule'),
          text: ['Rules for some of the work. Read the file of one that fits before you begin:', ...lines].join('\n'),
        })
      }
      if (skills) {
        const list = await listSkills(deps, signal)
        const lines = list.map((skill) => `- ${skill.name}: ${skill.description}`)
        const text = [
          'Skills: instructions for special tasks. When one fits, load it with load_skill before you begin:',
          ...lines,
        ].join('\n')
        if (list.length > 0) found.push({ kind: 'skills', id: 'skills', label: plural(list.length, 'skill'), text })
      }
      return fitPieces(found, room)
    },

    async forPaths(paths, told, room, signal) {
      const found: Piece[] = []
      const seen = new Set(told)
      const folders = [...new Set(paths.flatMap(foldersAbove))].toSorted((a, b) => a.length - b.length)
      for (const folder of folders) {
        for (const name of folderFiles) {
          if (seen.has(`${folder}/${name}`)) continue
          for (const read of await fileWithImports(`${folder}/${name}`, seen, signal))
            found.push(toPiece('instructions', read))
        }
      }
      for (const rule of await readRules(deps, signal)) {
        if (!rule.always && !seen.has(rule.path) && paths.some(rule.matches)) found.push(toPiece('rule', rule))
      }
      return fitPieces(found, room)
    },
  }
}

type Piece = Omit<InstructionSource, 'characters'> & { text: string }

function toPiece(
  kind: InstructionSource['kind'],
  { path: name, text, note }: { path: string; text: string; note?: string },
): Piece {
  return { kind, id: name, label: name, path: name, text, ...joinNotes(note) }
}

/** Each within its own bound and all within `room`, with a line for the model where something is missing. */
function fitPieces(pieces: readonly Piece[], room: number): InjectedText[] {
  const limits = allocateRoom(
    pieces.map(({ text }) => Math.min(maxFile, text.length)),
    room,
  )
  return pieces.flatMap(({ text: whole, note, ...source }, at) => {
    if (whole === '' && note === undefined) return []
    const { text, missing } = truncateAtLine(whole, limits[at] ?? 0)
    const where = source.path === undefined ? '' : ` Read ${source.path} for the rest.`
    const cut =
      missing === 0 ? undefined : `cut: ${formatNumber(missing)} of ${plural(whole.length, 'character')} are not told`
    const lines = [
      ...(text === '' ? [] : [text]),
      ...(missing === 0 ? [] : [`[${plural(missing, 'more character')} left out here.${where}]`]),
    ]
    if (lines.length === 0 && note !== undefined) lines.push(`[${note}]`)
    return [
      {
        source: { ...source, characters: text.length, ...joinNotes(note, cut) },
        text: promptBlock(source.kind, { from: source.label }, lines.join('\n')),
      },
    ]
  })
}

/** Folders below the workspace's top that a file lies in, outermost first. */
function foldersAbove(file: string): string[] {
  const segments = path
    .dirname(file)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}
