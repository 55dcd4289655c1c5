import path from 'node:path'
import { lstat } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { below, systemCode, within, type Entry, type FileEntry, type Tree } from './entries.ts'
import { stampOf } from './walkTree.ts'

export interface CheckpointChange {
  path: string
  /** What happened between the checkpoint and now. */
  change: 'created' | 'changed' | 'deleted'
}

/** How a restore reaches the workspace. Each call is contained in it, whole or not at all, and throws a `ToolError` in words. */
export interface RestoreTarget {
  /** Byte for byte, parents made; a clean tab follows. Throws `unsaved_changes` for a tab with unsaved changes. */
  write(path: string, content: Buffer, mode: number): Promise<void>
  /** A symbolic link as it was written, in place of a link or of nothing. */
  link(path: string, target: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** A file or link. Throws `unsaved_changes` as `write` does. */
  remove(path: string): Promise<void>
  /** Runs `act` while nobody else changes the path through Tizona. */
  exclusively(path: string, act: () => Promise<void>): Promise<void>
  /** Only when nothing is in it. @returns whether it is gone */
  removeFolder(path: string): Promise<boolean>
}

export interface RestoreOutcome {
  /** The checkpoint of how it was just before, to go back to. */
  before: number
  /** Files and links written. */
  written: string[]
  /** Files and links removed; a folder that goes with what was in it is none the user counts. */
  removed: string[]
  /** What was left as it is, each with the reason. */
  skipped: { path: string; why: string }[]
}

/** What differs between two states, by path. What either did not keep is no difference that could be told. */
export function differences(then: Tree, now: Tree): CheckpointChange[] {
  const changes: CheckpointChange[] = []
  for (const [place, entry] of now) {
    const old = then.get(place)
    if (isContent(entry) && !old && !underOmitted(place, then)) changes.push({ path: place, change: 'created' })
    else if (isContent(entry) && old && old.kind !== 'omitted' && !same(old, entry))
      changes.push({ path: place, change: 'changed' })
  }
  for (const [place, entry] of then) {
    const present = now.get(place)
    const gone = !present || present.kind === 'folder'
    if (isContent(entry) && gone && !underOmitted(place, now)) changes.push({ path: place, change: 'deleted' })
  }
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

interface RestoreParts {
  root: string
  target: RestoreTarget
  content(hash: string): Promise<Buffer>
}

/**
 * Makes the workspace what it was. From here on it goes to its end: a failure at one path is told and the others go on.
 * @param now how it was a moment ago; what has changed since is left alone
 */
export async function restoreTree(
  then: Tree,
  now: Tree,
  { root, target, content }: RestoreParts,
): Promise<Omit<RestoreOutcome, 'before'>> {
  const written: string[] = []
  const removed: string[] = []
  const skipped: RestoreOutcome['skipped'] = []
  const attempt = async (place: string, act: () => Promise<void>): Promise<void> => {
    try {
      await target.exclusively(place, async () => {
        if (!(await isStill(path.join(root, place), now.get(place))))
          throw new ToolError('changed_on_disk', 'It changed while the checkpoint was restored.')
        await act()
      })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      skipped.push({ path: place, why: error.message })
    }
  }

  for (const [place, entry] of now) {
    const old = then.get(place)
    if (!isContent(entry) || (old && old.kind !== 'folder') || underOmitted(place, then)) continue
    await attempt(place, async () => {
      await target.remove(place)
      removed.push(place)
      now.delete(place)
    })
  }
  for (const [place, entry] of [...now].toReversed()) {
    const old = then.get(place)
    if (entry.kind !== 'folder' || old?.kind === 'folder' || old?.kind === 'omitted' || underOmitted(place, then))
      continue
    await attempt(place, async () => {
      if (await target.removeFolder(place)) now.delete(place)
    })
  }
  for (const [place, entry] of then) {
    const present = now.get(place)
    if (entry.kind === 'omitted') {
      if (!present) skipped.push({ path: place, why: `It was not kept: ${entry.why}.` })
    } else if (present?.kind === 'omitted' || underOmitted(place, now)) {
      skipped.push({ path: place, why: 'What stands there now could not be kept, so it was left as it is.' })
    } else if (!present || !same(entry, present)) {
      await attempt(place, async () => {
        if (entry.kind === 'folder') return target.makeFolder(place)
        if (entry.kind === 'link') await target.link(place, entry.target)
        else await target.write(place, await content(entry.hash), entry.mode)
        written.push(place)
      })
    }
  }
  return {
    written: written.toSorted(),
    removed: removed.toSorted(),
    skipped: skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

function isContent(entry: Entry | undefined): entry is Exclude<Entry, { kind: 'omitted' | 'folder' }> {
  return entry?.kind === 'file' || entry?.kind === 'link'
}

function same(one: Entry, other: Entry): boolean {
  if (one.kind === 'file') return other.kind === 'file' && sameFile(one, other)
  if (one.kind === 'link') return other.kind === 'link' && one.target === other.target
  return one.kind === other.kind
}

function sameFile(one: FileEntry, other: FileEntry): boolean {
  return one.hash === other.hash && one.mode === other.mode
}

/** Whether a folder above was left out whole, so that nothing is known of what is in it. */
function underOmitted(place: string, tree: Tree): boolean {
  let parent = ''
  for (const name of place.split('/')) {
    parent = parent === '' ? name : below(parent, name)
    if (tree.get(parent)?.kind === 'omitted') return true
  }
  return false
}

/** Whether what stands there is still what the walk saw: somebody may write while the files before are put back. */
async function isStill(absolute: string, seen: Entry | undefined): Promise<boolean> {
  try {
    const stats = await lstat(absolute, { bigint: true })
    if (seen?.kind === 'file') return stats.isFile() && (seen.stamp === '' || seen.stamp === stampOf(stats))
    if (seen?.kind === 'link') return stats.isSymbolicLink()
    return seen?.kind === 'folder' && stats.isDirectory()
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return seen === undefined
    throw new ToolError('io_error', `The system reports ${systemCode(error) ?? String(error)}.`, '', { cause: error })
  }
}

/** Paths as they are asked for: tidy, and refused when they lead out. */
export function scopeOf(paths: readonly string[] | undefined): string[] | undefined {
  return paths?.map((given) => {
    const place = path.posix.normalize(given).replace(/\/$/, '')
    if (place === '..' || place.startsWith('../') || place.startsWith('/')) {
      throw new ToolError(
        'outside_workspace',
        `"${given}" lies outside the workspace.`,
        'Give paths relative to the workspace.',
      )
    }
    return place
  })
}

/** The paths that both scopes hold; undefined for everything. */
export function narrower(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return [
    ...one.filter((place) => within(place, other)),
    ...other.filter((place) => !one.includes(place) && within(place, one)),
  ]
}
