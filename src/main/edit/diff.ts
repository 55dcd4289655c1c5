import { structuredPatch } from 'diff'
import { changedSpan } from '../../shared/changedSpan.ts'
import type { FileDiff } from '../../shared/tool.ts'
import { plural } from '../../shared/plural.ts'
import { commonLines } from '../../shared/commonLines.ts'

const contextLines = 3
/**
 * Maximum changed lines of an exact diff, which takes quadratic time. Beyond it, the diff replaces the whole block.
 */
const maxEditLength = 2_000
const maxMilliseconds = 200
/** Maximum length of a diff in UTF-16 units. Longer diffs are truncated at a line, with a notice. */
const maxDiffLength = 1_000_000

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

/**
 * Returns the changes of a file as a unified diff with three lines of context.
 * @param path relative to the workspace, separated by `/`
 * @param before text with `\n` line endings, or null if the file did not exist
 * @param after text with `\n` line endings, or null if the file was deleted
 * @returns a diff bounded in time and size: a change of thousands of lines becomes one block, and a diff over 1,000,000
 *   characters ends with a `\` line that reports how many lines are missing. `added` and `removed` always count all
 *   lines.
 */
export function fileDiff(path: string, before: string | null, after: string | null): FileDiff {
  const change = before === null ? 'created' : after === null ? 'deleted' : 'modified'
  const hunks = diffHunks(before ?? '', after ?? '')
  const changed = (mark: string) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(mark)).length, 0)
  const oldName = before === null ? '/dev/null' : headerName(`a/${path}`)
  const newName = after === null ? '/dev/null' : headerName(`b/${path}`)
  return {
    path,
    change,
    diff: hunks.length === 0 ? '' : `--- ${oldName}\n+++ ${newName}\n${formatHunks(hunks)}`,
    added: changed('+'),
    removed: changed('-'),
  }
}

function diffHunks(before: string, after: string): Hunk[] {
  if (before === after) return []
  const window = changedWindow(before, after)
  const old = before.slice(window.start, window.oldEnd)
  const now = after.slice(window.start, window.newEnd)
  const limits = { context: contextLines, maxEditLength, timeout: maxMilliseconds }
  const exact = structuredPatch('', '', old, now, undefined, undefined, limits)
  const hunks: Hunk[] = exact?.hunks ?? [wholeBlock(old, now)]
  const linesBefore = countNewlines(before, window.start)
  return hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + linesBefore,
    newStart: hunk.newStart + linesBefore,
  }))
}

/**
 * Returns the part of both texts with all changes and their context, from line start to line end, so that a small edit
 * of a large file is fast.
 */
function changedWindow(before: string, after: string): { start: number; oldEnd: number; newEnd: number } {
  const span = changedSpan(before, after)
  let { start, oldEnd } = span
  for (let line = 0; line <= contextLines && start > 0; line += 1) {
    if (line > 0) start -= 1
    start = before.lastIndexOf('\n', start - 1) + 1
  }
  for (let line = 0; line <= contextLines && oldEnd < before.length; line += 1) {
    const newline = before.indexOf('\n', oldEnd)
    oldEnd = newline === -1 ? before.length : newline + 1
  }
  return { start, oldEnd, newEnd: after.length - (before.length - oldEnd) }
}

/** Returns one hunk that removes all old lines and adds all new lines, between shared context. */
function wholeBlock(before: string, after: string): Hunk {
  const old = splitLines(before)
  const now = splitLines(after)
  const { head, tail } = commonLines(old, now, contextLines)
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [
      ...marked(' ', old.slice(0, head)),
      ...marked('-', old.slice(head, old.length - tail)),
      ...marked('+', now.slice(head, now.length - tail)),
      ...marked(' ', old.slice(old.length - tail)),
    ],
  }
}

function marked(mark: string, lines: string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, '\\ No newline at end of file'],
  )
}

function formatHunks(hunks: Hunk[]): string {
  const parts: string[] = []
  let remaining = maxDiffLength
  let omitted = 0
  for (const hunk of hunks) {
    const lines: string[] = []
    for (const line of hunk.lines) {
      if (omitted === 0 && line.length < remaining) {
        lines.push(line)
        remaining -= line.length + 1
      } else {
        omitted += 1
      }
    }
    if (lines.length > 0) parts.push(hunkHeader(hunk, lines), lines.join('\n'))
  }
  if (omitted > 0) parts.push(`\\ ${plural(omitted, 'more line')} not shown`)
  return `${parts.join('\n')}\n`
}

/** Counts only the lines in the diff, so that a truncated diff still parses. */
function hunkHeader(hunk: Hunk, lines: string[]): string {
  const oldLines = lines.filter((line) => line.startsWith(' ') || line.startsWith('-')).length
  const newLines = lines.filter((line) => line.startsWith(' ') || line.startsWith('+')).length
  return `@@ -${range(hunk.oldStart, oldLines)} +${range(hunk.newStart, newLines)} @@`
}

/** Formats a range of lines. In the unified format, an empty range names the line before it. */
function range(start: number, lines: number): string {
  if (lines === 1) return `${start}`
  return lines === 0 ? `${start - 1},0` : `${start},${lines}`
}

/** Quotes names with control characters, quotes or backslashes, as git does. Unicode is not quoted. */
function headerName(name: string): string {
  return /[\p{Cc}"\\]/u.test(name) ? JSON.stringify(name) : name
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function countNewlines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
