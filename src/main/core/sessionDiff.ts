import { createHash } from 'node:crypto'
import { posix, win32 } from 'node:path'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { rowsOfHunk, type DiffHunk } from '../../shared/diff/hunkRows.ts'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { SessionFileDiff } from '../../shared/git/sessionRequests.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { changedLines, linesOfChange, newLineEnds } from '../sessions/mergeChange.ts'
import { isExecutable, type Entry, type SessionChange } from '../sessions/sessionChanges.ts'
import type { Resolution, Selection } from './takeOver.ts'

type ShownChange = SessionChange & { hunks: LineHunk[] | undefined }

/** A file that the user has chosen, as it was shown. `hunks`: their indexes; null for the whole change. */
export interface ChosenChange {
  path: string
  revision: string
  hunks: readonly number[] | null
  resolution?: Resolution | undefined
}

/** Maximum number of changed lines of a file that are shown. A larger change is taken over as a whole. */
const maxLines = 5000

/**
 * Describes a change for the window.
 *
 * @param current the folder's file, if it may differ in its line ends
 */
export function diffOfChange(change: ShownChange, places: PlaceRules, current: Entry | null = null): SessionFileDiff {
  const { path, base, now } = change
  const sides = linesOfChange(change)
  const { hunks, added, removed } = changedLines(change)
  const isShown = sides !== undefined && added + removed <= maxLines
  return {
    path,
    change: base === null ? 'created' : now === null ? 'deleted' : 'modified',
    isProtected: places.protection(path) !== undefined,
    revision: revisionOf(change),
    hunks: isShown
      ? hunks.flatMap((_, index) => decoded(rowsOfHunk(hunks, index, { old: sides.before, now: sides.after })))
      : [],
    divisible: choosableHunks(change) > 0,
    added,
    removed,
    executable: newPermission(change),
    lineEnds: newLineEnds(change, current) ?? null,
    binary: sides === undefined && ![base, now].some((entry) => entry?.kind === 'link'),
    link: now?.kind === 'link' ? linkTo(path, now.content.toString('utf8')) : null,
  }
}

/** @throws ToolError `conflict` if a chosen file has changed since it was shown, or a chosen hunk was not shown */
export function selectionOf(changes: readonly ShownChange[], chosen: readonly ChosenChange[]): Selection {
  const selection = new Map<string, ReadonlySet<number> | 'all'>()
  for (const { path, revision, hunks } of chosen) {
    const change = changes.find((each) => each.path === path)
    if (change === undefined || revisionOf(change) !== revision)
      throw new ToolError(
        'conflict',
        `Nothing was taken over, because the session has changed ${path} since it was shown.`,
        'Look at its changes again.',
      )
    const count = choosableHunks(change)
    if (hunks?.some((hunk) => hunk >= count))
      throw new ToolError(
        'conflict',
        count === 0
          ? `Nothing was taken over, because the change of ${path} can only be taken over as a whole.`
          : `Nothing was taken over, because ${path} has only ${plural(count, 'change')} to choose from.`,
        'Look at its changes again.',
      )
    selection.set(path, hunks === null ? 'all' : new Set(hunks))
  }
  return selection
}

/** Returns the number of hunks that can be chosen one by one. 0: only the whole change can be chosen. */
function choosableHunks(change: ShownChange): number {
  if (change.hunks === undefined) return 0
  const { hunks, added, removed } = changedLines(change)
  return added + removed <= maxLines ? hunks.length : 0
}

function revisionOf({ base, now }: SessionChange): string {
  const hash = createHash('sha256')
  for (const entry of [base, now]) {
    hash.update(entry ? `${entry.kind} ${entry.mode} ${entry.content.length}\n` : 'none\n')
    if (entry) hash.update(entry.content)
  }
  return hash.digest('base64url')
}

/** Returns whether a file can be run, if the session changed that. */
function newPermission({ base, now }: SessionChange): boolean | null {
  if (now?.kind !== 'file' || base?.kind === 'link') return null
  const [before, after] = [base !== null && isExecutable(base), isExecutable(now)]
  return before === after ? null : after
}

/** Whether a link stays in the folder goes by its text: what it leads to differs between the worktree and the folder. */
function linkTo(path: string, target: string): NonNullable<SessionFileDiff['link']> {
  const isAbsolute = posix.isAbsolute(target) || win32.isAbsolute(target)
  const end = posix.join(posix.dirname(path), target.replaceAll('\\', '/'))
  return { target, leadsOutside: isAbsolute || end === '..' || end.startsWith('../') }
}

/** The compared texts have one character per byte. */
function decoded(hunk: DiffHunk | undefined): DiffHunk[] {
  if (hunk === undefined) return []
  const lines = hunk.lines.map((line) =>
    line.kind === 'note'
      ? line
      : { ...line, text: Buffer.from(line.text, 'latin1').toString('utf8').replace(/\r$/, '') },
  )
  return [{ ...hunk, lines }]
}
