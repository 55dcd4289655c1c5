import { ToolError } from '../../shared/errors.ts'
import type { RenameFile, RenameOccurrence, RenamePlan } from '../../shared/language/symbolRename.ts'
import { withIndexProgress } from '../../shared/language/indexProgress.ts'
import { plural } from '../../shared/text/plural.ts'
import { textHash } from '../../shared/files/textHash.ts'
import type { Search } from '../search/search.ts'
import type { Documents } from '../workspace/documents.ts'
import type { CodeIndex, TextPosition } from './codeIndex.ts'

/** Services that planning a rename uses. */
export interface RenameDeps {
  code: Pick<CodeIndex, 'definition' | 'references' | 'outline' | 'status'>
  documents: Pick<Documents, 'read'>
  search: Pick<Search, 'text'>
}

/** Maximum number of references, so that a user can review them. */
const maxReferences = 5000
const maxFiles = 1000
/** Maximum number of other mentions listed across all files. */
const maxMentions = 500
const maxLineText = 300
/** Maximum characters of an import statement searched for the name. */
const maxStatement = 4000

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/**
 * Plans renaming the symbol at a position: its definitions and resolved references, and separately all other mentions
 * of the name. Uses unsaved text and changes nothing.
 * @throws ToolError invalid_arguments for an invalid name, not_found without a known definition, ambiguous_match if
 * only the name matches, conflict while the index is incomplete, too_large
 */
export async function planRename(
  deps: RenameDeps,
  place: TextPosition,
  newName: string,
  signal: AbortSignal,
): Promise<RenamePlan> {
  if (!identifier.test(newName)) {
    throw new ToolError(
      'invalid_arguments',
      `"${newName}" is not a valid name.`,
      'Use letters, digits, _ and $, and do not start with a digit.',
    )
  }
  const status = await deps.code.status()
  if (status.state === 'symbols') {
    throw new ToolError(
      'conflict',
      `${withIndexProgress('The code index is not complete yet', status)}.`,
      'Try again when indexing has finished, so that no file is missed.',
    )
  }
  const { name, places } = await referencesTo(deps, place, signal)
  if (name === newName)
    throw new ToolError('no_change', `The symbol is already named "${name}".`, 'Enter another name.')

  const resolvedByPath = Map.groupBy(places, ({ path }) => path)
  const mentioningPaths = await filesWith(deps, name, signal)
  const paths = [...new Set([...resolvedByPath.keys(), ...mentioningPaths])]
  if (paths.length > maxFiles)
    throw new ToolError(
      'too_large',
      `"${name}" is used in ${plural(paths.length, 'file')}.`,
      `A rename can change at most ${maxFiles} files. Use search and replace.`,
    )

  const files: RenameFile[] = []
  let mentions = 0
  let moreMentions = 0
  for (const path of paths) {
    const known = resolvedByPath.get(path) ?? []
    const text = await textOf(deps, path, known.length > 0, signal)
    if (text === undefined) continue
    const lines = text.split('\n')
    const overloads = known.some(({ definition }) => definition) ? await sameDefinition(deps, path, known, signal) : []
    const found = new Map<string, RenameOccurrence>()
    for (const { line, column, definition } of [...known, ...overloads]) {
      const at = locate(lines, name, line, column)
      // An alias (`import { name as other }`) keeps its name.
      if (at)
        found.set(
          `${at.line}:${at.column}`,
          occurrence(lines, at, definition ? 'definition' : 'reference', name, newName),
        )
    }
    for (const at of wordsIn(lines, name)) {
      const key = `${at.line}:${at.column}`
      if (found.has(key)) continue
      if (mentions >= maxMentions) moreMentions += 1
      else {
        mentions += 1
        found.set(key, occurrence(lines, at, 'mention', name, newName))
      }
    }
    if (found.size > 0)
      files.push({
        path,
        textHash: textHash(text),
        occurrences: [...found.values()].toSorted((a, b) => a.line - b.line || a.column - b.column),
      })
  }
  const changed = new Set(
    files.filter(({ occurrences }) => occurrences.some(({ kind }) => kind !== 'mention')).map(({ path }) => path),
  )
  const taken = (await filesWith(deps, newName, signal)).filter((path) => changed.has(path))
  const rank = ({ occurrences }: RenameFile): number =>
    occurrences.some(({ kind }) => kind === 'definition')
      ? 0
      : occurrences.some(({ kind }) => kind === 'reference')
        ? 1
        : 2
  return { name, newName, files: files.toSorted((a, b) => rank(a) - rank(b)), taken, moreMentions }
}

interface KnownPlace {
  path: string
  line: number
  column: number
  definition: boolean
}

async function referencesTo(
  { code }: RenameDeps,
  place: TextPosition,
  signal: AbortSignal,
): Promise<{ name: string; places: KnownPlace[] }> {
  const found = await code.definition(place, signal)
  const [target] = found?.targets ?? []
  if (!found || !target) {
    const what = found
      ? `The definition of "${found.name}" was not found, so it cannot be renamed.`
      : 'There is no symbol here to rename.'
    throw new ToolError('not_found', what, 'Place the cursor on the name of a symbol that is defined in this folder.')
  }
  // At an alias, the target has a different name.
  if (!found.resolved || found.targets.some(({ name }) => name !== found.name)) {
    throw new ToolError(
      'ambiguous_match',
      `Only the name "${found.name}" matches a definition, which may be unrelated.`,
      `Place the cursor on the definition (${target.path}, line ${target.name_line}) and rename it there.`,
    )
  }
  const { places, total } = await code.references(place, maxReferences, signal)
  if (total > places.length)
    throw new ToolError(
      'too_large',
      `"${found.name}" has ${plural(total, 'reference')}, which are too many to rename.`,
      `At most ${maxReferences} references can be renamed at once.`,
    )
  return { name: found.name, places: places.filter(({ resolved, name }) => resolved && name === found.name) }
}

/**
 * Returns other declarations of the definition in its file, e.g. overloads. The index only follows the one with a
 * body.
 */
async function sameDefinition(
  { code }: RenameDeps,
  path: string,
  known: readonly KnownPlace[],
  signal: AbortSignal,
): Promise<KnownPlace[]> {
  const { symbols } = await code.outline(path, signal)
  const own = new Set(known.filter(({ definition }) => definition).map(({ line }) => line))
  const names = new Set(
    symbols.filter(({ name_line: line }) => own.has(line)).map(({ qualified, kind }) => `${kind} ${qualified}`),
  )
  return symbols
    .filter(({ qualified, kind }) => names.has(`${kind} ${qualified}`))
    .map(({ name_line: line, name_column: column }) => ({ path, line, column, definition: true }))
}

async function filesWith({ search }: RenameDeps, word: string, signal: AbortSignal): Promise<string[]> {
  const { matches, truncated } = await search.text(
    { pattern: word, fixed: true, wholeWord: true, maxResults: 20_000, maxText: 1 },
    { signal },
  )
  if (truncated)
    throw new ToolError('too_large', `"${word}" occurs in too many places to review.`, 'Use search and replace.')
  return [...new Set(matches.map(({ path }) => path))]
}

/** @param needed whether the file contains a reference; other files that are not text are skipped */
async function textOf(
  { documents }: RenameDeps,
  path: string,
  needed: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await documents.read(path, signal)).text
  } catch (error) {
    if (!needed && error instanceof ToolError && error.code !== 'cancelled') return undefined
    throw error
  }
}

interface Place {
  line: number
  column: number
}

/**
 * Returns the position of a reference's name: its own position, or a later one in the import or export statement that
 * starts there.
 */
function locate(lines: readonly string[], name: string, line: number, column: number): Place | undefined {
  const own = lines[line - 1] ?? ''
  if (own.startsWith(name, column - 1) && isWhole(own, column - 1, name.length)) return { line, column }
  const statement = lines
    .slice(line - 1, line + 100)
    .join('\n')
    .slice(column - 1, column - 1 + maxStatement)
  for (const at of wordsIn(statement.split('\n'), name)) {
    const before = [
      ...statement.split('\n').slice(0, at.line - 1),
      (statement.split('\n')[at.line - 1] ?? '').slice(0, at.column - 1),
    ].join('\n')
    if (!/^[^;=)'"}\n]*(?:[{(][^;=)'"}]*)?$/.test(before)) return undefined
    // The name after `as` is the alias.
    if (/\bas\s+$/.test(before)) continue
    return { line: line + at.line - 1, column: at.line === 1 ? at.column + column - 1 : at.column }
  }
  return undefined
}

/** Returns all whole-word occurrences in the lines. */
function wordsIn(lines: readonly string[], name: string): Place[] {
  return lines.flatMap((line, index) => {
    const found: Place[] = []
    for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + name.length)) {
      if (isWhole(line, at, name.length)) found.push({ line: index + 1, column: at + 1 })
    }
    return found
  })
}

function isWhole(line: string, start: number, length: number): boolean {
  return !/[\p{L}\p{N}_$]$/u.test(line.slice(0, start)) && !/^[\p{L}\p{N}_$]/u.test(line.slice(start + length))
}

function occurrence(
  lines: readonly string[],
  { line, column }: Place,
  kind: RenameOccurrence['kind'],
  name: string,
  newName: string,
): RenameOccurrence {
  const text = lines[line - 1] ?? ''
  const shorthand = kind === 'reference' && isShorthand(lines, line, column, name)
  return {
    line,
    column,
    kind,
    lineText: text.slice(0, maxLineText),
    replacement: shorthand ? `${name}: ${newName}` : newName,
  }
}

/** Whether `{ name }` is a shorthand property, whose key keeps its name. Imports and exports are plain name lists. */
function isShorthand(lines: readonly string[], line: number, column: number, name: string): boolean {
  const before = [...lines.slice(Math.max(0, line - 20), line - 1), (lines[line - 1] ?? '').slice(0, column - 1)].join(
    '\n',
  )
  const after = (lines[line - 1] ?? '').slice(column - 1 + name.length)
  const open = before.lastIndexOf('{')
  if (
    open === -1 ||
    !/^\s*(?:[,}]|$)/.test(after) ||
    !/(?:^|,)\s*$/.test(before.slice(open + 1)) ||
    /[()[\];]/.test(before.slice(open + 1))
  )
    return false
  return /(?:[=(,:[?]|\breturn|=>)$/.test(before.slice(0, open).trimEnd())
}
