import path from 'node:path'
import { asSentence } from '../../base/asSentence.ts'
import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { lstat } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { childPath, isWithin, type Entry, type FileEntry, type Tree } from './entries.ts'
import { stampOf } from './readEntries.ts'
import { systemCode } from './systemCode.ts'

export interface CheckpointChange {
  path: string
  /** Change from the checkpoint to the current state. */
  change: 'created' | 'changed' | 'deleted'
}

/**
 * Write access of a restore to the workspace. Each call checks containment, is atomic and throws a `ToolError` on
 * failure.
 */
export interface RestoreTarget {
  /**
   * Writes a file and creates its parents. Updates clean tabs.
   * @throws ToolError `unsaved_changes` for a dirty tab
   */
  write(path: string, content: Buffer, mode: number): Promise<void>
  /** Creates a symbolic link in place of a link or a missing path. */
  link(path: string, target: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Deletes a file or link. @throws ToolError `unsaved_changes` for a dirty tab */
  remove(path: string): Promise<void>
  /** Runs `act` while no other call changes the path through Tizona. */
  exclusively(path: string, act: () => Promise<void>): Promise<void>
  /** Deletes a folder if it is empty. @returns whether the folder no longer exists */
  removeFolder(path: string): Promise<boolean>
}

export interface RestoreOutcome {
  /** Checkpoint of the state before the restore, for undoing it. */
  before: number
  /** Paths of written files and links. */
  written: string[]
  /** Paths of deleted files and links. Folders are not listed. */
  removed: string[]
  /** Paths that could not be restored, with reasons. */
  skipped: { path: string; why: string }[]
}

/** Returns the differences between two states, sorted by path. Ignores entries that one of them omits. */
export function treeDifferences(earlier: Tree, current: Tree): CheckpointChange[] {
  const changes: CheckpointChange[] = []
  for (const [place, entry] of current) {
    const old = earlier.get(place)
    if (isContent(entry) && !old && !isInOmittedFolder(place, earlier)) changes.push({ path: place, change: 'created' })
    else if (isContent(entry) && old && old.kind !== 'omitted' && !isSameEntry(old, entry))
      changes.push({ path: place, change: 'changed' })
  }
  for (const [place, entry] of earlier) {
    const present = current.get(place)
    const gone = !present || present.kind === 'folder'
    if (isContent(entry) && gone && !isInOmittedFolder(place, current)) changes.push({ path: place, change: 'deleted' })
  }
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

interface RestoreDeps {
  workspace: WorkspaceRoots
  target: RestoreTarget
  content(hash: string): Promise<Buffer>
}

/**
 * Restores an earlier state. Continues after a path that cannot be restored, and lists it in `skipped`.
 * @param current the state just before the restore. Paths that changed since then are skipped
 */
export async function restoreTree(
  wanted: Tree,
  current: Tree,
  { workspace, target, content }: RestoreDeps,
): Promise<Omit<RestoreOutcome, 'before'>> {
  const written: string[] = []
  const removed: string[] = []
  const skipped: RestoreOutcome['skipped'] = []
  const attempt = async (place: string, act: () => Promise<void>): Promise<void> => {
    try {
      await target.exclusively(place, async () => {
        if (!(await isStillCurrent(absoluteIn(workspace, place), current.get(place))))
          throw new ToolError('changed_on_disk', 'It changed while the checkpoint was restored.')
        await act()
      })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      skipped.push({ path: place, why: error.message })
    }
  }

  for (const [place, entry] of current) {
    const old = wanted.get(place)
    if (!isContent(entry) || (old && old.kind !== 'folder') || isInOmittedFolder(place, wanted)) continue
    await attempt(place, async () => {
      await target.remove(place)
      removed.push(place)
      current.delete(place)
    })
  }
  for (const [place, entry] of [...current].toReversed()) {
    const old = wanted.get(place)
    if (
      entry.kind !== 'folder' ||
      old?.kind === 'folder' ||
      old?.kind === 'omitted' ||
      isInOmittedFolder(place, wanted)
    )
      continue
    await attempt(place, async () => {
      if (await target.removeFolder(place)) current.delete(place)
    })
  }
  for (const [place, entry] of wanted) {
    const present = current.get(place)
    if (entry.kind === 'omitted') {
      if (!present) skipped.push({ path: place, why: `It was not stored. ${asSentence(entry.why)}` })
    } else if (present?.kind === 'omitted' || isInOmittedFolder(place, current)) {
      skipped.push({ path: place, why: 'Its current content could not be stored, so it was not changed.' })
    } else if (!present || !isSameEntry(entry, present)) {
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

function isSameEntry(one: Entry, other: Entry): boolean {
  if (one.kind === 'file') return other.kind === 'file' && isSameFile(one, other)
  if (one.kind === 'link') return other.kind === 'link' && one.target === other.target
  return one.kind === other.kind
}

function isSameFile(one: FileEntry, other: FileEntry): boolean {
  return one.hash === other.hash && one.mode === other.mode
}

/** Whether a parent folder was omitted, so that the state of the path is unknown. */
function isInOmittedFolder(place: string, tree: Tree): boolean {
  let parent = ''
  for (const name of place.split('/')) {
    parent = parent === '' ? name : childPath(parent, name)
    if (tree.get(parent)?.kind === 'omitted') return true
  }
  return false
}

/** Whether an entry is unchanged since the scan. Other programs may change it while other files are restored. */
async function isStillCurrent(absolute: string, seen: Entry | undefined): Promise<boolean> {
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

/** Normalizes requested paths. @throws ToolError for a path outside the workspace */
export function normalizeScope(paths: readonly string[] | undefined): string[] | undefined {
  return paths?.map((given) => {
    const place = path.posix.normalize(given).replace(/\/$/, '')
    if (place === '..' || place.startsWith('../') || place.startsWith('/')) {
      throw new ToolError(
        'outside_workspace',
        `"${given}" is outside the workspace.`,
        'Use paths relative to the workspace.',
      )
    }
    return place
  })
}

/** Returns the intersection of two scopes; undefined for everything. */
export function intersectScopes(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return [
    ...one.filter((place) => isWithin(place, other)),
    ...other.filter((place) => !one.includes(place) && isWithin(place, one)),
  ]
}
