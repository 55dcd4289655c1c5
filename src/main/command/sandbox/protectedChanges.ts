import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { ProtectedChanges } from '../../../shared/commands/sandbox.ts'
import { relativeIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { isInside } from './paths.ts'
import type { WorkspaceScan } from './sandboxTypes.ts'

/** Maximum number of named paths, and of entries read in a created folder. */
const maxNamed = 5
const maxRead = 200

/**
 * Compares two scans and returns the protected paths that were created or changed in between, relative to the
 * workspace.
 * @param since start of the command, in milliseconds since the epoch
 * @param replaced paths that `replacedSince` found
 * @param added git folders that were added to a repository
 */
export async function findProtectedChanges(
  roots: WorkspaceRoots,
  before: WorkspaceScan,
  after: WorkspaceScan,
  { since, replaced, added = [] }: { since: number; replaced: readonly string[]; added?: readonly string[] },
): Promise<ProtectedChanges | undefined> {
  const known = new Set([...before.git, ...before.protectedPaths, ...before.writable.keys()])
  const created: string[] = []
  for (const place of [...after.git, ...after.protectedPaths, ...after.writable.keys()]) {
    if (known.has(place)) continue
    // A scan that stopped early has not seen every path.
    if (before.partial && !(await isNewer(place, since))) continue
    created.push(...(await filesIn(place, after.git.includes(place))))
  }
  // A created repository is reported with its git folders.
  created.push(...added.filter((folder) => !created.some((place) => isInside(folder, place))))
  const written = [...after.writable].flatMap(([place, stamp]) =>
    before.writable.has(place) && before.writable.get(place) !== stamp ? [place] : [],
  )
  const changed = [...replaced, ...written]
  const names = [...created, ...changed].map(
    (place) =>
      relativeIn(roots, place) ?? (roots.folders ? place : path.relative(roots.root, place).split(path.sep).join('/')),
  )
  if (names.length === 0) return undefined
  return {
    created: names.slice(0, Math.min(created.length, maxNamed)),
    changed: names.slice(created.length).slice(0, Math.max(0, maxNamed - created.length)),
    more: Math.max(0, names.length - maxNamed),
  }
}

/** Device and inode by path, for paths that exist. */
export type Identities = ReadonlyMap<string, string>

export async function identitiesOf(places: readonly string[]): Promise<Identities> {
  const found = await Promise.all(places.map(async (place) => [place, await identityOf(place)] as const))
  return new Map(found.flatMap(([place, identity]) => (identity === undefined ? [] : [[place, identity]])))
}

/** Returns the paths that were replaced. A read-only mount cannot be replaced, but a folder above it can be renamed. */
export async function replacedSince(before: Identities): Promise<string[]> {
  const now = await identitiesOf([...before.keys()])
  return [...before].flatMap(([place, identity]) => (now.has(place) && now.get(place) !== identity ? [place] : []))
}

async function identityOf(place: string): Promise<string | undefined> {
  const stats = await lstat(place).catch(() => undefined)
  return stats && `${stats.dev}:${stats.ino}`
}

async function isNewer(place: string, since: number): Promise<boolean> {
  const stats = await lstat(place).catch(() => undefined)
  return stats !== undefined && stats.ctimeMs >= since - 1000
}

/**
 * Returns the files in a created path, or the path itself if it is a file or a repository. An empty folder has no
 * effect; it may be a placeholder of another command.
 */
async function filesIn(place: string, repository: boolean): Promise<string[]> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return [place]
  if (repository) return entries.length === 0 ? [] : [place]
  const files: string[] = []
  const open = [place]
  let read = 0
  for (let folder = open.shift(); folder !== undefined && read < maxRead; folder = open.shift()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      read += 1
      if (read > maxRead) break
      const file = path.join(folder, entry.name)
      if (entry.isDirectory()) open.push(file)
      else files.push(file)
    }
  }
  return files
}
