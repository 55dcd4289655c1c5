import { isUtf8 } from 'node:buffer'
import { lineHunks, linesWithEnds, type LineHunk } from '../../shared/diff/lineHunks.ts'
import { mergeEdits } from '../../shared/diff/mergeEdits.ts'
import { isExecutable, type Entry, type SessionChange } from './sessionChanges.ts'

/** What taking over a change does to a path of the repository's folder. */
export type Merged =
  | { kind: 'same' }
  | { kind: 'write'; entry: Entry }
  | { kind: 'remove' }
  | { kind: 'conflict'; why: string }

/**
 * Merges a session's change with what the folder has now.
 *
 * @param current the folder's file; null if there is none
 * @param chosen indexes of the hunks to take over. Default: the whole change.
 */
export function mergeChange(change: SessionChange, current: Entry | null, chosen?: ReadonlySet<number>): Merged {
  const { base, here, now } = versionsOf(change, current, chosen)
  if (isSame(now, current)) return { kind: 'same' }
  if (isSame(base, here))
    return now === null ? { kind: 'remove' } : { kind: 'write', entry: withPermissions(current, now) }
  if (now === null) return conflict('The session deleted it, and it has changed here since.')
  if (current === null)
    return conflict(base === null ? 'It does not exist here.' : 'The session changed it, and it was deleted here.')
  if (base === null) return conflict('The session created it, and another file exists here.')
  if (here === null || ![base, now, current].every(isText)) return conflict('It changed in both, and it is not a text.')
  const merged = mergeEdits(textOf(base), textOf(here), textOf(now))
  if (!('text' in merged)) return conflict(`Both changed the same lines (line ${merged.first} in the session).`)
  const content = Buffer.from(merged.text, 'latin1')
  const entry = withPermissions(current, { kind: 'file', content, mode: permission(base, now, current) })
  return isSame(entry, current) ? { kind: 'same' } : { kind: 'write', entry }
}

/** Returns the versions to merge, with the line ends of the result. */
function versionsOf(
  change: SessionChange,
  current: Entry | null,
  chosen: ReadonlySet<number> | undefined,
): Record<'base' | 'here' | 'now', Entry | null> {
  const ends = lineEndsAfter(change, current, chosen)
  return {
    base: withLineEnds(change.base, ends),
    here: withLineEnds(current, ends),
    now: withLineEnds(chosen === undefined ? change.now : withHunks(change, chosen), ends),
  }
}

/** The versions of a file that can be merged in an editor, with `\n`. */
export type ConflictTexts = Record<'base' | 'here' | 'now', string>

/** Maximum bytes of a version that an editor merges. */
const maxEdited = 1024 * 1024

/**
 * Returns the texts of a file whose change conflicts with the folder's file; undefined if one of both has no text, or one
 * that an editor would change, for example by another encoding or different line ends.
 */
export function conflictTexts(
  change: SessionChange,
  current: Entry | null,
  chosen?: ReadonlySet<number>,
): ConflictTexts | undefined {
  const { base, here, now } = versionsOf(change, current, chosen)
  const [before, ours, theirs] = [base === null ? '' : editableText(base), editableText(here), editableText(now)]
  return before === undefined || ours === undefined || theirs === undefined
    ? undefined
    : { base: before, here: ours, now: theirs }
}

function editableText(entry: Entry | null): string | undefined {
  if (entry === null || !isText(entry) || entry.content.length > maxEdited) return undefined
  if (!isUtf8(entry.content)) return undefined
  const text = entry.content.toString('utf8')
  // Monaco would end a line at a lone carriage return.
  if (/\r(?!\n)/.test(text)) return undefined
  const ends = lineEndsOf(entry)
  return ends === undefined && text.includes('\n') ? undefined : text.replaceAll('\r\n', '\n')
}

/** Returns the file with a text that the user made of both versions. */
export function resolvedEntry(
  change: SessionChange,
  current: Entry | null,
  chosen: ReadonlySet<number> | undefined,
  text: string,
): Entry {
  const { base, now } = change
  const ends = lineEndsAfter(change, current, chosen) ?? '\n'
  const content = Buffer.from(text.replaceAll(/\r?\n/g, ends))
  const mode = base && now && current ? permission(base, now, current) : (current?.mode ?? 0o644)
  return { kind: 'file', content, mode }
}

/** Returns the hunks of a session's change; undefined if it can only be taken over as a whole. */
export function hunksOfChange(change: SessionChange): LineHunk[] | undefined {
  const { base, now } = change
  const sides = base === null || now === null ? undefined : linesOfChange(change)
  return sides && lineHunks(sides.before, sides.after)
}

/** Returns the hunks of a change, also those of a file that was created or deleted, and how many lines they change. */
export function changedLines(change: SessionChange & { hunks: LineHunk[] | undefined }): {
  hunks: LineHunk[]
  added: number
  removed: number
} {
  const sides = linesOfChange(change)
  const hunks = sides ? (change.hunks ?? lineHunks(sides.before, sides.after)) : []
  return {
    hunks,
    added: hunks.reduce((sum, { modified }) => sum + modified.count, 0),
    removed: hunks.reduce((sum, { original }) => sum + original.count, 0),
  }
}

/**
 * Returns the lines of both sides of a change, with their line breaks and one character per byte; undefined if it is no
 * text. A side without a file has no lines.
 */
export function linesOfChange({ base, now }: SessionChange): { before: string[]; after: string[] } | undefined {
  if ([base, now].some((entry) => entry !== null && !isText(entry))) return undefined
  const before = withLineEnds(base, lineEndsOf(now))
  return { before: before ? linesWithEnds(textOf(before)) : [], after: now ? linesWithEnds(textOf(now)) : [] }
}

/** Returns the permission of the side that changed it. */
function permission(base: Entry, now: Entry, current: Entry): number {
  return isExecutable(now) === isExecutable(base) ? current.mode : now.mode
}

/** Keeps the permissions of the folder's file unless it becomes executable, or no longer is. */
function withPermissions(current: Entry | null, entry: Entry): Entry {
  const isKept = current?.kind === 'file' && entry.kind === 'file' && isExecutable(current) === isExecutable(entry)
  return isKept ? { ...entry, mode: current.mode } : entry
}

function conflict(why: string): Merged {
  return { kind: 'conflict', why }
}

function isSame(one: Entry | null, other: Entry | null): boolean {
  if (one === null || other === null) return one === other
  return one.kind === other.kind && isExecutable(one) === isExecutable(other) && one.content.equals(other.content)
}

function isText({ kind, content }: Entry): boolean {
  return kind === 'file' && !content.includes(0)
}

/** One character per byte, so that every encoding with ASCII line breaks survives. */
function textOf({ content }: Entry): string {
  return content.toString('latin1')
}

/** Line ends of a text that has only one kind. */
type LineEnds = '\n' | '\r\n'

/** @returns undefined for what is no text, or has no or different line ends */
function lineEndsOf(entry: Entry | null): LineEnds | undefined {
  if (entry === null || !isText(entry)) return undefined
  const text = textOf(entry)
  if (!text.includes('\n')) return undefined
  if (!text.includes('\r\n')) return '\n'
  return /(?:^|[^\r])\n/.test(text) ? undefined : '\r\n'
}

/**
 * Returns a text with other line ends, so that they make no difference between two texts. Git stores LF where the folders
 * have CRLF, depending on its configuration.
 */
function withLineEnds(entry: Entry | null, ends: LineEnds | undefined): Entry | null {
  const own = lineEndsOf(entry)
  if (entry === null || ends === undefined || own === undefined || own === ends) return entry
  return { ...entry, content: Buffer.from(textOf(entry).replaceAll(own, ends), 'latin1') }
}

/** Returns the line ends that a session gave a file, if they are others than its base and the folder have. */
export function newLineEnds({ base, now }: SessionChange, current: Entry | null): 'LF' | 'CRLF' | undefined {
  const [before, after] = [lineEndsOf(base), lineEndsOf(now)]
  if (before === undefined || after === undefined || before === after || lineEndsOf(current) === after) return undefined
  return after === '\n' ? 'LF' : 'CRLF'
}

/** Returns the line ends of the merged file: those of the folder, unless the whole change is taken over and changes them. */
function lineEndsAfter(
  { base, now }: SessionChange,
  current: Entry | null,
  chosen: ReadonlySet<number> | undefined,
): LineEnds | undefined {
  const [before, after] = [lineEndsOf(base), lineEndsOf(now)]
  if (chosen === undefined && before !== undefined && after !== undefined && before !== after) return after
  return lineEndsOf(current) ?? before
}

/** Returns the base with some hunks of the session, as `linesOfChange()` shows them, and the session's permissions. */
function withHunks(change: SessionChange, chosen: ReadonlySet<number>): Entry | null {
  const { base, now } = change
  const sides = linesOfChange(change)
  if (base === null || now === null || sides === undefined) return now
  const { before, after } = sides
  const lines: string[] = []
  let at = 0
  for (const [index, { original, modified }] of lineHunks(before, after).entries()) {
    lines.push(...before.slice(at, original.start - 1))
    at = original.start - 1 + original.count
    lines.push(
      ...(chosen.has(index)
        ? after.slice(modified.start - 1, modified.start - 1 + modified.count)
        : before.slice(original.start - 1, at)),
    )
  }
  lines.push(...before.slice(at))
  return { ...now, content: Buffer.from(lines.join(''), 'latin1') }
}
