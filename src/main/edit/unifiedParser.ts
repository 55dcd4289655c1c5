import { ToolError } from '../../shared/errors.ts'

// Unified diffs as `diff -u` and git write them, and as models write them: line numbers that are off, counts that are wrong, no
// file header. What a line says counts; the numbers only tell where to look first.

export interface UnifiedHunk {
  /** 1-based line of the patch where it begins. */
  at: number
  header: string
  /** 1-based line of the old file; undefined where the header names none. */
  oldStart?: number
  lines: { mark: ' ' | '-' | '+'; text: string }[]
  /** The last line of the old and of the new side has no line end. */
  oldOpen: boolean
  newOpen: boolean
}

export interface UnifiedPatch {
  /** 1-based line of the patch where the file begins. */
  at: number
  /** As the headers name them; `/dev/null` for none. */
  oldPath?: string
  newPath?: string
  hunks: UnifiedHunk[]
}

const shape =
  'A unified diff is: "--- a/path", "+++ b/path", then hunks of "@@ -line,count +line,count @@" and lines with " ", "-" or "+" in front.'

/**
 * A unified diff of one file. Throws `invalid_arguments`, naming the line that cannot be read, and for a diff of several files.
 */
export function parseUnified(patch: string): UnifiedPatch {
  const [first, second] = parseUnifiedFiles(patch)
  if (second)
    throw malformed(
      second.at,
      'A second file begins here, but a call patches one file.',
      'Make one call for each file.',
    )
  if (!first) throw malformed(1, 'It has no hunk.')
  return first
}

/** A unified diff of one or several files. Throws `invalid_arguments`, naming the line that cannot be read. */
export function parseUnifiedFiles(patch: string): UnifiedPatch[] {
  const lines = patch.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')
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
    // "--- a" within a hunk is a removed line as long as the header's counts say that more is to come.
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
      // Hunks without a header line: right below the names of the file, or the whole patch.
      if (isFileHeader(lines, index - 1)) continue
      const named = file.oldPath !== undefined
      if (/^[ +-]/.test(line) && (named || bare)) addLine(nextHunk(at, '', null), line, at, left)
      else if (/^[+-](?![+-])/.test(line) && !/^[+-]\s/.test(line)) {
        throw malformed(
          at,
          `A changed line is in front of the first "@@" line: ${JSON.stringify(line.slice(0, 80).toWellFormed())}.`,
        )
      }
      // Whatever else stands before the hunks: "index", the second header line, words.
      continue
    }
    if (/^index [\da-f]+\.\./.test(line) && !inside)
      throw malformed(at, 'A second file begins here without "---" and "+++" lines.')
    if (line.startsWith('\\')) markOpen(hunk)
    else addLine(hunk, line, at, left)
  }
  const all = files.flatMap(({ hunks }) => hunks)
  dropGaps(all)
  if (all.length === 0) throw malformed(1, 'It has no hunk.')
  const without = files.find(({ hunks }) => hunks.length === 0)
  if (without) throw malformed(without.at, 'The file has no hunk.')
  const empty = all.find(({ lines: own }) => own.every(({ mark }) => mark === ' '))
  if (empty) throw malformed(empty.at, 'The hunk changes nothing: no line has "-" or "+" in front.')
  return files
}

/** An empty old side names the line before it. */
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
      `A line of a hunk has " ", "-" or "+" in front, but this is ${JSON.stringify(line.slice(0, 80).toWellFormed())}.`,
    )
  }
  hunk.lines.push({ mark, text: line.slice(1) })
  if (mark !== '+') left.old -= 1
  if (mark !== '-') left.now -= 1
}

/** `\ No newline at end of file` speaks of the line before it. */
function markOpen(hunk: UnifiedHunk): void {
  const mark = hunk.lines.at(-1)?.mark
  if (mark !== '+') hunk.oldOpen = true
  if (mark !== '-') hunk.newOpen = true
}

/** Empty lines behind a hunk are gaps between hunks, unless its header counts them. */
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
    `The diff cannot be read at line ${line}, so nothing was changed. ${why}`,
    next,
  )
}
