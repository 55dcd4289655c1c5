import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { mergeWithMarkers } from '../../shared/diff/mergeWithMarkers.ts'
import { ToolError } from '../../shared/errors.ts'
import type { TakenOver, TakeOverConflict } from '../../shared/git/sessionRequests.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { RestoreTarget } from '../history/checkpoints/restoreTree.ts'
import { conflictTexts, mergeChange, resolvedEntry, type Merged } from '../sessions/mergeChange.ts'
import { entryAt, type Entry, type SessionChange } from '../sessions/sessionChanges.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'

/** Which changes of a session to take over: hunks by path, or whole files (`all`). Default: everything. */
export type Selection = ReadonlyMap<string, ReadonlySet<number> | 'all'>

/** What the user made of a file that cannot be merged. */
export interface Resolution {
  /** Identifies the folder's file that the user saw, and the chosen hunks (`conflicts()`). */
  current: string
  /** Text of the file. Null: the session's version, also if it deleted the file. */
  text: string | null
}

/** Resolutions by path. */
export type Resolutions = ReadonlyMap<string, Resolution>

interface Planned {
  path: string
  merged: Merged
  current: Entry | null
}

interface Folder extends Pick<WorkspaceSession, 'workspace' | 'buffers' | 'target'> {
  review: Pick<WorkspaceSession['review'], 'begin'>
}

/**
 * Applies changes of a session to the open folder, as one reviewed change.
 *
 * @throws ToolError `conflict` with each file that cannot be merged; nothing is written. Any other error undoes what was
 * written.
 */
export async function takeOver(
  folder: Folder,
  places: PlaceRules,
  changes: readonly SessionChange[],
  selection?: Selection,
  resolutions: Resolutions = new Map(),
): Promise<Omit<TakenOver, 'skipped'>> {
  const chosen = changes.filter(({ path }) => selection === undefined || selection.has(path))
  const isSkipped = ({ path }: SessionChange) => selection === undefined && places.protection(path) !== undefined
  const planned: Planned[] = []
  for (const change of chosen.filter((each) => !isSkipped(each)))
    planned.push(await plan(folder, change, selection?.get(change.path), resolutions.get(change.path)))
  refuseConflicts(planned)
  const writes = planned.filter(({ merged }) => merged.kind !== 'same')
  if (writes.length > 0) await applyReviewed(folder, writes)
  return {
    changed: writes.map(({ path }) => path),
    same: planned.filter(({ merged }) => merged.kind === 'same').map(({ path }) => path),
    protectedPaths: chosen.filter(isSkipped).map(({ path }) => path),
  }
}

/** Maximum characters of the versions of conflicting files that are returned, beyond the last one. */
const maxTexts = 8_000_000

/**
 * Returns the chosen changes that cannot be merged, with what an editor needs to merge them.
 *
 * @param selection as for `takeOver()`
 */
export async function conflicts(
  folder: Folder,
  changes: readonly SessionChange[],
  selection: Selection,
): Promise<TakeOverConflict[]> {
  const found: TakeOverConflict[] = []
  let room = maxTexts
  for (const change of changes) {
    const hunks = selection.get(change.path)
    if (hunks === undefined) continue
    const { path, merged, current, blocked } = await plan(folder, change, hunks)
    if (merged.kind !== 'conflict') continue
    const chosen = hunks === 'all' ? undefined : hunks
    const texts = blocked || room < 0 ? undefined : conflictTexts(change, current, chosen)
    if (texts) room -= texts.base.length + texts.here.length + texts.now.length
    const names = { mine: 'this folder', other: 'session' }
    found.push({
      path,
      why: merged.why,
      current: identify(current, hunks),
      texts: texts ? { ...texts, merged: mergeWithMarkers(texts.base, texts.here, texts.now, names) } : null,
      replaceable: !blocked && !(change.now === null && current === null),
    })
  }
  return found
}

/** Returns a text that two states of a path share only if they and the chosen hunks are the same. */
function identify(entry: Entry | null, hunks: ReadonlySet<number> | 'all' | undefined): string {
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('base64url')
  const chosen = hunks === undefined || hunks === 'all' ? 'all' : hash([...hunks].toSorted((a, b) => a - b).join(' '))
  return entry === null ? `none ${chosen}` : `${entry.kind} ${entry.mode} ${hash(entry.content)} ${chosen}`
}

async function plan(
  { workspace, buffers }: Folder,
  change: SessionChange,
  hunks: ReadonlySet<number> | 'all' | undefined,
  resolution?: Resolution,
): Promise<Planned & { blocked: boolean }> {
  const { path } = change
  const conflict = (why: string) => ({ path, merged: { kind: 'conflict' as const, why }, current: null, blocked: true })
  const resolved = await workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
  if (resolved.relative !== path) return conflict(`It leads to ${resolved.relative} through a link.`)
  if (buffers.get(path)?.text !== undefined && buffers.get(path)?.text !== null)
    return conflict('It has unsaved changes in an open tab.')
  const current = await entryAt(resolved.absolute)
  if (typeof current === 'string') return conflict(current)
  const chosen = hunks === 'all' ? undefined : hunks
  if (resolution === undefined) return { path, merged: mergeChange(change, current, chosen), current, blocked: false }
  if (identify(current, hunks) !== resolution.current)
    return conflict('It or the chosen changes are others than when you resolved it.')
  const entry = resolution.text === null ? change.now : resolvedEntry(change, current, chosen, resolution.text)
  return { path, merged: entry === null ? { kind: 'remove' } : { kind: 'write', entry }, current, blocked: false }
}

/** @throws ToolError `conflict` */
function refuseConflicts(planned: readonly Planned[]): void {
  const lines = planned.flatMap(({ path, merged }) => (merged.kind === 'conflict' ? [`${path}: ${merged.why}`] : []))
  if (lines.length === 0) return
  throw new ToolError(
    'conflict',
    `Nothing was taken over, because some files conflict:\n${lines.join('\n')}`,
    'Merge these files manually, or take over only the others.',
  )
}

/** @throws ToolError `conflict` if a file has changed since it was merged */
async function applyReviewed(folder: Folder, writes: readonly Planned[]): Promise<void> {
  const call = await folder.review.begin({ paths: writes.map(({ path }) => path), turn: null, program: false })
  const done: { path: string; before: Entry | null; written: Entry | null }[] = []
  try {
    for (const { path, current, merged } of writes) {
      const written = await replace(folder, path, current, merged.kind === 'write' ? merged.entry : null)
      done.push({ path, before: current, written })
    }
  } catch (error) {
    // What the user saved in the meantime stays.
    for (const { path, before, written } of done.toReversed())
      await replace(folder, path, written, before).catch(() => undefined)
    throw error
  } finally {
    await call.end([])
  }
}

/**
 * Writes or removes a path.
 *
 * @param before what it must still have, so that nothing is overwritten that another program saved
 * @returns what it has then
 * @throws ToolError `conflict` if it has changed
 */
async function replace(
  { workspace, target }: Folder,
  path: string,
  before: Entry | null,
  after: Entry | null,
): Promise<Entry | null> {
  let written: Entry | null = null
  await target.exclusively(path, async () => {
    const { absolute } = await workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
    if (!isDeepStrictEqual(await entryAt(absolute), before))
      throw new ToolError(
        'conflict',
        `Nothing was taken over, because ${path} changed in the meantime.`,
        'Take over again.',
      )
    await put(target, path, after)
    const now = await entryAt(absolute)
    written = typeof now === 'string' ? after : now
  })
  return written
}

async function put(target: RestoreTarget, path: string, entry: Entry | null): Promise<void> {
  if (entry === null) await target.remove(path)
  else if (entry.kind === 'link') await target.link(path, entry.content.toString('utf8'))
  else await target.write(path, entry.content, entry.mode)
}
