import { ToolError } from '../../shared/errors.ts'
import { truncate } from '../../shared/text/truncate.ts'

// Parser for patches in the `*** Begin Patch` envelope: sections that add, update (and move) or delete a file. The
// grammar is Rusty's, completed from Codex's `apply_patch`.

/** A line of a hunk: context, removed or added. */
export interface PatchLine {
  mark: ' ' | '-' | '+'
  text: string
}

/** A hunk: one group of changed lines with their context. */
export interface EnvelopeHunk {
  /** First line in the patch, 1-based. */
  at: number
  /** Lines of the file above the hunk, from outermost to innermost (`@@ class A`, `@@ def f`). */
  headers: string[]
  /** 1-based line in the file, if a header has a range as in unified diffs. */
  hint?: number
  lines: PatchLine[]
  /** Whether its lines must be the last in the file (`*** End of File`). */
  endOfFile: boolean
}

/** All changes of a patch to one file. `at` is its first line in the patch, 1-based. */
export type EnvelopeSection =
  | { kind: 'add'; path: string; at: number; text: string }
  | { kind: 'delete'; path: string; at: number }
  | { kind: 'update'; path: string; at: number; moveTo?: string; hunks: EnvelopeHunk[] }

const begin = '*** Begin Patch'
const end = '*** End Patch'
const section = /^\*\*\* (Add|Update|Delete) File:(.*)$/
const shape =
  'A patch is "*** Begin Patch", then sections "*** Add File: path" (every line prefixed with "+"), "*** Update File: path" (lines prefixed with " ", "-" or "+", ' +
  '"@@" between hunks) or "*** Delete File: path", then "*** End Patch".'

interface Numbered {
  text: string
  at: number
}

/**
 * Parses a patch in the envelope. Removes a surrounding heredoc or code fence and converts `\r\n` to `\n`. Also accepts
 * unambiguous variants: a patch without its first line, an indented patch, and indented headers outside file content.
 * @throws ToolError invalid_arguments with the line that cannot be parsed
 */
export function parseEnvelope(patch: string): EnvelopeSection[] {
  const lines = withoutIndentation(unwrapped(patch))
  const first = lines[0]
  if (!first) throw malformed(1, 'The patch is empty.')
  const body = bodyOf(lines, first)
  const sections: EnvelopeSection[] = []
  for (let from = 0; from < body.length;) {
    const line = body[from]
    if (!line) break
    if (line.text.trim() === '') {
      from += 1
      continue
    }
    // In an update, an indented line is file content.
    const inUpdate = section.exec(line.text.trimStart())?.[1] === 'Update'
    let to = from + 1
    while (to < body.length && !section.test(inUpdate ? (body[to]?.text ?? '') : (body[to]?.text.trimStart() ?? '')))
      to += 1
    sections.push(parseSection(line, body.slice(from + 1, to)))
    from = to
  }
  if (sections.length === 0) throw malformed(first.at, 'The patch has no section.')
  return sections
}

/** Whether a text starts as an envelope, with or without `*** Begin Patch`. */
export function isEnvelope(patch: string): boolean {
  const first = unwrapped(patch)[0]?.text.trim() ?? ''
  return first === begin || section.test(first)
}

/** Whether a text contains the first line of an envelope. */
export function hasEnvelope(patch: string): boolean {
  return patch.split(/\r?\n/).some((line) => line.trim() === begin)
}

/** Returns the lines inside the envelope. */
function bodyOf(lines: readonly Numbered[], first: Numbered): readonly Numbered[] {
  const last = lines.at(-1)
  const ended = last?.text.trim() === end && last !== first
  if (section.test(first.text.trim())) return ended ? lines.slice(0, -1) : lines
  if (first.text.trim() !== begin)
    throw malformed(first.at, `A patch must begin with "${begin}", but this line is ${quoted(first.text)}.`)
  if (!ended) throw malformed(last?.at ?? first.at, `The patch ends here without "${end}", so a part may be missing.`)
  return lines.slice(1, -1)
}

/** Removes the first line's indentation from all lines, if they all have it. */
function withoutIndentation(lines: readonly Numbered[]): readonly Numbered[] {
  const indent = /^\s*/.exec(lines[0]?.text ?? '')?.[0] ?? ''
  if (indent === '' || !lines.every(({ text }) => text.trim() === '' || text.startsWith(indent))) return lines
  return lines.map(({ text, at }) => ({ text: text.slice(indent.length), at }))
}

/** Returns the lines of the patch with their original line numbers. */
function unwrapped(patch: string): Numbered[] {
  let lines = patch
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((text, index) => ({ text, at: index + 1 }))
  lines = fenced(withoutBlankEnds(lines))
  const opening = lines[0]?.text.trim() ?? ''
  const heredoc = /(?:^|\s)<<-?\s*(['"]?)(\w+)\1$/.exec(opening)
  const closing = heredoc ? heredoc[2] : /^```\w*$/.test(opening) ? '```' : undefined
  if (closing === undefined) return lines
  const ended = lines.at(-1)?.text.trim() === closing
  return withoutBlankEnds(lines.slice(1, ended ? -1 : undefined))
}

/** Returns the lines inside the only fence that contains an envelope, without the text around it. */
function fenced(lines: Numbered[]): Numbered[] {
  const isFence = ({ text }: Numbered) => /^(?:`{3,}|~{3,})[\w-]*\s*$/.test(text)
  const at = lines.findIndex(isFence)
  const start = lines[at + 1]?.text.trim() ?? ''
  if (at < 0 || (start !== begin && !section.test(start))) return lines
  const inside = lines.slice(at + 1)
  const close = inside.findLastIndex(isFence)
  return withoutBlankEnds(close < 0 ? inside : inside.slice(0, close))
}

function withoutBlankEnds(lines: Numbered[]): Numbered[] {
  const first = lines.findIndex(({ text }) => text.trim() !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(({ text }) => text.trim() !== '') + 1)
}

function parseSection(header: Numbered, lines: readonly Numbered[]): EnvelopeSection {
  const found = section.exec(header.text.trimStart())
  if (!found)
    throw malformed(
      header.at,
      `This line must begin a section ("*** Add File: path", "*** Update File: path", "*** Delete File: path"), but it is ${quoted(header.text)}.`,
    )
  const path = (found[2] ?? '').trim()
  if (path === '') throw malformed(header.at, 'The path is missing.')
  if (found[1] === 'Add') return { kind: 'add', path, at: header.at, text: addedText(lines) }
  if (found[1] === 'Delete') {
    const extra = lines.find(({ text }) => text.trim() !== '')
    if (extra)
      throw malformed(extra.at, `Nothing can follow "*** Delete File", but this line is ${quoted(extra.text)}.`)
    return { kind: 'delete', path, at: header.at }
  }
  return parseUpdate(path, header.at, lines)
}

function addedText(lines: readonly Numbered[]): string {
  const trimmed = lines.slice(0, lines.findLastIndex(({ text }) => text.trim() !== '') + 1)
  const wrong = trimmed.find(({ text }) => !text.startsWith('+'))
  if (wrong)
    throw malformed(wrong.at, `Every line of a new file must start with "+", but this line is ${quoted(wrong.text)}.`)
  return trimmed.map(({ text }) => `${text.slice(1)}\n`).join('')
}

function parseUpdate(path: string, at: number, content: readonly Numbered[]): EnvelopeSection {
  let lines = content
  let moveTo: string | undefined
  const move = /^\*\*\* Move to:(.*)$/.exec(lines[0]?.text ?? '')
  if (move) {
    moveTo = (move[1] ?? '').trim()
    if (moveTo === '') throw malformed(at + 1, 'The path to move to is missing.')
    lines = lines.slice(1)
  }
  const hunks: EnvelopeHunk[] = []
  let hunk: EnvelopeHunk | undefined
  for (const { text, at: line } of lines) {
    if (/^@@(?: |$)/.test(text)) {
      // Consecutive headers belong to one hunk.
      if (!hunk || hunk.lines.length > 0 || hunk.endOfFile) hunks.push((hunk = emptyHunk(line)))
      addHeader(hunk, text.slice(2).trim())
    } else if (text.trimEnd() === '*** End of File') {
      if (!hunk || hunk.lines.length === 0)
        throw malformed(line, '"*** End of File" must follow the lines that end the file.')
      hunk.endOfFile = true
    } else {
      const mark = text === '' ? ' ' : text[0]
      if (mark !== ' ' && mark !== '-' && mark !== '+') {
        throw malformed(
          line,
          `A line of an update must start with " ", "-" or "+", or be an "@@" line, but this line is ${quoted(text)}.`,
        )
      }
      if (hunk?.endOfFile && text.trim() === '') continue
      if (!hunk || hunk.endOfFile) hunks.push((hunk = emptyHunk(line)))
      hunk.lines.push({ mark, text: text.slice(1) })
    }
  }
  const headersOnly = hunks.find((other) => other.lines.length === 0)
  if (headersOnly) throw malformed(headersOnly.at, 'No lines follow the "@@" line.')
  if (hunks.length === 0 && moveTo === undefined) throw malformed(at, `The update of "${path}" has no lines.`)
  return { kind: 'update', path, at, ...(moveTo === undefined ? {} : { moveTo }), hunks }
}

function emptyHunk(at: number): EnvelopeHunk {
  return { at, headers: [], lines: [], endOfFile: false }
}

/** Adds a header: `@@ def f():`, with an optional closing `@@`, or a range as in unified diffs. */
function addHeader(hunk: EnvelopeHunk, text: string): void {
  const range = /^-(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@(.*)$/.exec(text)
  // If the old side is empty, the header names the line before it.
  if (range) hunk.hint = Number(range[1]) + (range[2] === '0' ? 1 : 0)
  // The text after a range is the enclosing function. It is ignored, because it is often not above the hunk in the
  // file.
  const header = range ? '' : text.endsWith('@@') ? text.slice(0, -2).trimEnd() : text
  if (header !== '') hunk.headers.push(header)
}

function quoted(text: string): string {
  return JSON.stringify(truncate(text, 80))
}

function malformed(line: number, why: string): ToolError {
  return new ToolError(
    'invalid_arguments',
    `Line ${line} of the patch cannot be parsed. Patch not applied. ${why}`,
    shape,
  )
}
