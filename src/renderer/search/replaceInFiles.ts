import { ToolError } from '../../shared/errors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import type { Match, Replacement } from '../../shared/tools/tool.ts'
import {
  readFiles,
  undoableChanges,
  writeFileChanges,
  type FileChangeDeps,
  type FileChangeOptions,
  type UndoableChanges,
  type FileTextChange,
  type OnLinkedUndo,
} from '../platform/editor/documents/fileChanges.ts'

/** A match to replace. */
export type Hit = Replacement & { line: number }

/** A completed replacement, which can be undone as one step. */
export interface AppliedReplacement extends UndoableChanges {
  hits: number
  files: number
  /** Paths that had unsaved changes before and remain unsaved. */
  unsaved: string[]
}

/** Maximum size of all files together, because their old and new texts are kept for undoing. */
const maxCharacters = 64 * 1024 * 1024

/** Number of matches, and of the files that contain them. */
export function countHits(matches: readonly Match[]): { hits: number; files: number } {
  const replaceable = matches.filter(({ replacements = [] }) => replacements.length > 0)
  return {
    hits: replaceable.reduce((sum, { replacements = [] }) => sum + replacements.length, 0),
    files: new Set(replaceable.map(({ path }) => path)).size,
  }
}

/**
 * Pure: replaces matches in a text. Returns null if a match is gone. A match depends on its own text and the characters
 * next to it (whole words, `^`, `\b`), so the rest of the line may have changed.
 */
export function replaceHits(text: string, hits: readonly Hit[]): string | null {
  const lines = text.split('\n')
  for (const [number, inLine] of Map.groupBy(hits, ({ line }) => line)) {
    const line = lines[number - 1]
    if (line === undefined) return null
    const pieces: string[] = []
    let end = 0
    for (const hit of inLine.toSorted((a, b) => a.column - b.column)) {
      const start = hit.column - 1
      if (start < end || !isHit(line, hit)) return null
      pieces.push(line.slice(end, start), hit.newText)
      end = start + hit.oldText.length
    }
    lines[number - 1] = pieces.join('') + line.slice(end)
  }
  return lines.join('\n')
}

function isHit(line: string, { column, oldText, before, after }: Hit): boolean {
  const [start, end] = [column - 1, column - 1 + oldText.length]
  return (
    start <= line.length &&
    line.startsWith(oldText, start) &&
    line.slice(Math.max(0, start - 1), start) === before.slice(-1) &&
    line.slice(end, end + 1) === after.slice(0, 1)
  )
}

/**
 * Replaces the matches in all files or in none. Changes open files in their buffers, as one undo step each, and saves
 * those without unsaved changes; changes other files on disk, keeping encoding and line endings.
 * @param options.onLinkedUndo see `undoableChanges`
 * @throws ToolError `conflict` if a file has changed since the search; `too_large`; AbortError
 */
export async function replaceInFiles(
  deps: FileChangeDeps,
  matches: readonly Match[],
  { signal, onProgress, onLinkedUndo }: Omit<FileChangeOptions, 'seen'> & { onLinkedUndo?: OnLinkedUndo } = {},
): Promise<AppliedReplacement> {
  const hitsByFile = Map.groupBy(
    matches.filter(({ replacements = [] }) => replacements.length > 0),
    ({ path }) => path,
  )
  const seen = await readFiles(deps, [...hitsByFile.keys()], signal)
  const changes: FileTextChange[] = []
  let characters = 0
  for (const [path, inFile] of hitsByFile) {
    const hits = inFile.flatMap(({ line, replacements = [] }) => replacements.map((hit) => ({ ...hit, line })))
    const before = seen.get(path)?.text
    const after = before === undefined ? null : replaceHits(before, hits)
    if (before === undefined || after === null)
      throw new ToolError('conflict', `${path} has changed since the search.`, 'Nothing was replaced. Search again.')
    characters += before.length + after.length
    if (characters > maxCharacters)
      throw new ToolError(
        'too_large',
        `The files are larger than ${formatSize(maxCharacters)} together, so nothing was replaced.`,
        'Replace in fewer files at a time.',
      )
    if (after !== before) changes.push({ path, before, after })
  }
  const unsaved = changes.filter(({ path }) => deps.documents.get(path)?.dirty).map(({ path }) => path)
  await writeFileChanges(deps, changes, { seen, signal, onProgress })
  return {
    hits: countHits(matches).hits,
    files: changes.length,
    unsaved,
    ...undoableChanges(deps, changes, onLinkedUndo),
  }
}
