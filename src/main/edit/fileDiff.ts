import { hunkRows, type DiffHunk } from '../../shared/diff/hunkRows.ts'
import { formatUnifiedDiff } from '../../shared/diff/unifiedDiff.ts'
import type { FileDiff } from '../../shared/tools/tool.ts'

/** Limits of an exact diff. Beyond them, the diff replaces the whole block. */
const limits = { maxEdits: 2_000, milliseconds: 200 }
/** Maximum UTF-16 units of a diff. Longer diffs are truncated at a line, with a notice. */
const maxDiffLength = 1_000_000

/**
 * Returns the changes of a file as a unified diff with three lines of context.
 * @param path relative to the workspace, separated by `/`
 * @param before text with `\n` line endings, or null if the file did not exist
 * @param after text with `\n` line endings, or null if the file was deleted
 * @param milliseconds limit of an exact diff
 * @returns a diff bounded in time and size: a change of thousands of lines becomes one block, and a diff over 1,000,000
 * characters ends with a `\` line that states how many lines are missing. `added` and `removed` always count all lines.
 */
export function fileDiff(
  path: string,
  before: string | null,
  after: string | null,
  milliseconds = limits.milliseconds,
): FileDiff {
  const change = before === null ? 'created' : after === null ? 'deleted' : 'modified'
  const hunks = hunkRows(before ?? '', after ?? '', { ...limits, milliseconds })
  const oldName = before === null ? '/dev/null' : headerName(`a/${path}`)
  const newName = after === null ? '/dev/null' : headerName(`b/${path}`)
  return {
    path,
    change,
    diff: hunks.length === 0 ? '' : `--- ${oldName}\n+++ ${newName}\n${formatUnifiedDiff(hunks, maxDiffLength)}`,
    ...changedCounts(hunks),
  }
}

/** A text and its name in the diff. */
interface NamedText {
  name: string
  text: string
}

/**
 * Returns a unified diff of two texts with `\n` line endings, or '' if they are equal, and the number of added and
 * removed lines. Bounded in time: if texts differ too much, removes and adds all lines between the first and the last
 * difference.
 */
export function unifiedDiff(
  a: NamedText,
  b: NamedText,
  context: number,
): { diff: string; added: number; removed: number } {
  const hunks = hunkRows(a.text, b.text, { context, ...limits })
  const names = `--- ${headerName(a.name)}\n+++ ${headerName(b.name)}\n`
  return { diff: hunks.length === 0 ? '' : names + formatUnifiedDiff(hunks), ...changedCounts(hunks) }
}

function changedCounts(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const { lines } of hunks)
    for (const { kind } of lines) {
      if (kind === 'added') added += 1
      else if (kind === 'removed') removed += 1
    }
  return { added, removed }
}

/** Quotes names with control characters, quotes or backslashes, as git does. Unicode is not quoted. */
function headerName(name: string): string {
  return /[\p{Cc}"\\]/u.test(name) ? JSON.stringify(name) : name
}
