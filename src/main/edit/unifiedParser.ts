import { ToolError } from '../../shared/errors.ts'

// Parser for unified diffs from `diff -u`, git and models. Models write wrong line numbers and counts, and omit file
// headers, so numbers are only hints.

/** A hunk: one group of changed lines with their context. */
export interface UnifiedHunk {
  /** First line in the patch, 1-based. */
  at: number
  header: string
  /** 1-based line of the old file, if the header has one. */
  oldStart?: number
  lines: { mark: ' ' | '-' | '+'; text: string }[]
  /** Whether the last line of the old or new side has no line ending. */
  oldOpen: boolean
  newOpen: boolean
}

/** All hunks of a diff for one file. */
export interface UnifiedPatch {
  /** First line of the file in the patch, 1-based. */
  at: number
  /** Paths in the headers; `/dev/null` for none. */
  oldPath?: string
  newPath?: string
  hunks: UnifiedHunk[]
}

const shape =
  'A unified diff is: "--- a/path", "+++ b/path", then hunks of "@@ -line,count +line,count @@" and lines that start with " ", "-" or "+".'

/**
 * Parses a unified diff of one file.
 * @throws ToolError invalid_arguments with the line that cannot be parsed, or for several files
 */
export function parseUnified(patch: string): UnifiedPatch {
  const [first, second] = parseUnifiedFiles(patch)
  if (second)
    throw malformed(
      second.at,
      'A second file starts here, but a call patches one file.',
      'Make one call for each file.',
    )
  if (!first) throw malformed(1, 'The diff has no hunk.')
  return first
}

/**
 * Parses a unified diff of one or more files.
 * @throws ToolError invalid_arguments with the line that cannot be parsed
 */
export function parseUnifiedFiles(patch: string): UnifiedPatch[] {
  const lines = withoutFences(patch.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n'))
  const files: UnifiedPatch[] = [{ at: 1, hunks: [] }]
  const bare = lines.every((line) => line === '' || /^[ +-]/.test(line)) && lines.some((line) => /^[+-]/.test(line))
  let file = files[0] ?? { at: 1, hunks: [] }
  let hunk: UnifiedHunk | undefined
  let left = { old: 0, now: 0 }
  const nextFile = (at: number) => {
    hunk = undefined
    if (file.hunks.length > 0 || file.oldPath !== undefined) files.push((file = { at, hunks: [] }))
    else file.at = at
  }
  const nextHunk = (at: number, header: string, range: RegExpExecArray | null) => {
    hunk = { at, header, ...(range ? { oldStart: startOf(range) } : {}), lines: [], oldOpen: false, newOpen: false }
    file.hunks.push(hunk)
    left = range ? { old: Number(range[2] ?? 1), now: Number(range[4] ?? 1) } : { old: 0, now: 0 }
    return hunk
  }
  for (const [index, line] of lines.entries()) {
    const at = index + 1
    const inside = left.old > 0 || left.now > 0
    if (line.startsWith('@@')) {
      nextHunk(at, line, /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line))
      continue
    }
    // Inside a hunk, "--- a" is a removed line as long as the header counts more lines.
    if (!inside && isFileHeader(lines, index)) {
      nextFile(at)
      file.oldPath = nameOf(line)
      file.newPath = nameOf(lines[index + 1] ?? '')
      continue
    }
    if (!inside && /^(?:diff --git |Index: )/.test(line)) {
      nextFile(at)
      continue
    }
    if (hunk === undefined) {
      // Hunks without a header line follow the file names, or are the whole patch.
      if (isFileHeader(lines, index - 1)) continue
      const named = file.oldPath !== undefined
      if (/^[ +-]/.test(line) && (named || bare)) addLine(nextHunk(at, '', null), line, at, left)
      else if (/^[+-](?![+-])/.test(line) && !/^[+-]\s/.test(line)) {
        throw malformed(
          at,
          `A changed line comes before the first "@@" line: ${JSON.stringify(line.slice(0, 80).toWellFormed())}.`,
        )
      }
      // Other lines before the hunks: "index", the second header line, or text.
      continue
    }
    if (/^index [\da-f]+\.\./.test(line) && !inside)
      throw malformed(at, 'A second file starts here without "---" and "+++" lines.')
    if (line.startsWith('\\')) markOpen(hunk)
    else addLine(hunk, line, at, left)
  }
  const all = files.flatMap(({ hunks }) => hunks)
  dropGaps(all)
  if (all.length === 0) throw malformed(1, 'The diff has no hunk.')
  const without = files.find(({ hunks }) => hunks.length === 0)
  if (without) throw malformed(without.at, 'The file has no hunk.')
  const empty = all.find(({ lines: own }) => own.every(({ mark }) => mark === ' '))
  if (empty) throw malformed(empty.at, 'The hunk changes nothing: no line starts with "-" or "+".')
  return files
}

const fence = /^(?:`{3,}|~{3,})[\w-]*\s*$/

/**
 * Removes Markdown fences around diffs and the text outside them. No hunk line starts with a fence, because each has a
 * mark.
 */
function withoutFences(lines: string[]): string[] {
  const first = lines.findIndex((line) => fence.test(line))
  const start = lines.findIndex((line) => /^(?:@@|--- |diff --git |Index: )/.test(line))
  if (first < 0 || first > start) return lines
  let isOpen = false
  return lines.flatMap((line): string[] => {
    const isFence = fence.test(line)
    if (isFence) isOpen = !isOpen
    // Text between two diffs explains them.
    return isFence || !isOpen ? [] : [line]
  })
}

/** Returns the first line of the old side. If the old side is empty, the header has the line before it. */
function startOf(range: RegExpExecArray): number {
  return Number(range[1]) + (range[2] === '0' ? 1 : 0)
}

function isFileHeader(lines: readonly string[], index: number): boolean {
  return /^--- \S/.test(lines[index] ?? '') && /^\+\+\+ \S/.test(lines[index + 1] ?? '')
}

function nameOf(line: string): string {
  return line.slice(4).split('\t')[0]?.trim() ?? ''
}

function addLine(hunk: UnifiedHunk, line: string, at: number, left: { old: number; now: number }): void {
  const mark = line === '' ? ' ' : line[0]
  if (mark !== ' ' && mark !== '-' && mark !== '+') {
    throw malformed(
      at,
      `A line of a hunk must start with " ", "-" or "+", but this line is ${JSON.stringify(line.slice(0, 80).toWellFormed())}.`,
    )
  }
  hunk.lines.push({ mark, text: line.slice(1) })
  if (mark !== '+') left.old -= 1
  if (mark !== '-') left.now -= 1
}

/** `\ No newline at end of file` refers to the line before it. */
function markOpen(hunk: UnifiedHunk): void {
  const mark = hunk.lines.at(-1)?.mark
  if (mark !== '+') hunk.oldOpen = true
  if (mark !== '-') hunk.newOpen = true
}

/** Removes empty lines after a hunk, unless its header counts them. */
function dropGaps(hunks: readonly UnifiedHunk[]): void {
  for (const hunk of hunks) {
    const counts = /^@@+ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(hunk.header)
    const expected = counts ? Number(counts[1] ?? 1) : 0
    const old = () => hunk.lines.filter(({ mark }) => mark !== '+').length
    while (hunk.lines.at(-1)?.mark === ' ' && hunk.lines.at(-1)?.text === '' && old() > expected) hunk.lines.pop()
  }
}

function malformed(line: number, why: string, next = shape): ToolError {
  return new ToolError(
    'invalid_arguments',
    `Line ${line} of the diff cannot be parsed. Patch not applied. ${why}`,
    next,
  )
}
