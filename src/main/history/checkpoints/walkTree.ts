import { constants } from 'node:fs'
import { lstat, open, readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BigIntStats } from 'node:fs'
import { hashOf } from './blobs.ts'
import { below, systemCode, within, type Entry, type Tree } from './entries.ts'
import { cacheMark, isRebuilt } from './rebuiltFolders.ts'

/** What bounds one walk. */
export interface WalkLimits {
  /** Bytes; a larger file is not kept. */
  fileBytes: number
  files: number
  /** Bytes of all files read by one walk. */
  readBytes: number
}

export interface WalkParts {
  /** Real path of the workspace. */
  root: string
  limits: WalkLimits
  /** Names of files being written, which nobody should see. */
  isTransient(name: string): boolean
  /** An earlier state: a file whose size, times and inode are the same is not read again. */
  before: Tree
  /** Whether what `before` names can be relied on. */
  isKept(hash: string): Promise<boolean>
  /** Takes the content of a file that was read. */
  keep(hash: string, content: Buffer): Promise<void>
  signal?: AbortSignal
}

export interface Walked {
  tree: Tree
  /** Files read and hashed. */
  hashed: number
}

/** Files looked at together. */
const atOnce = 8
/** Milliseconds. A file changed so shortly before it was read could change again without its time moving (git calls it racy). */
const racy = 100

/**
 * Looks at everything in the workspace, or at `paths` and below. Links are taken as they are written and never followed. What
 * vanishes meanwhile is not there; what cannot be read, is too large, or is no file is noted as omitted.
 */
export async function walk(parts: WalkParts, paths?: readonly string[]): Promise<Walked> {
  const { root, limits, before, signal } = parts
  const tree: Tree = new Map()
  let files = 0
  let read = 0
  let hashed = 0

  async function folder(place: string): Promise<void> {
    signal?.throwIfAborted()
    let names: string[]
    try {
      names = await readdir(path.join(root, place))
    } catch (error) {
      const code = systemCode(error)
      if (code === undefined) throw error
      if (code === 'ENOENT' || code === 'ENOTDIR') tree.delete(place)
      else omit(place, `the system reports ${code}`)
      return
    }
    if (place !== '.' && names.includes(cacheMark)) return omit(place, `a cache, by its ${cacheMark}`)
    const folders: string[] = []
    for (let at = 0; at < names.length; at += atOnce) {
      signal?.throwIfAborted()
      await Promise.all(
        names.slice(at, at + atOnce).map(async (name) => {
          if (await entry(below(place, name))) folders.push(below(place, name))
        }),
      )
    }
    for (const child of folders.toSorted()) await folder(child)
    await nextTurn()
  }

  /** @returns whether it is a folder to look into */
  async function entry(place: string): Promise<boolean> {
    const name = path.posix.basename(place)
    // Git's own store is git's; of a submodule or worktree it is a file.
    if (name === '.git' || parts.isTransient(name)) return false
    try {
      const stats = await lstat(path.join(root, place), { bigint: true })
      if (stats.isSymbolicLink())
        tree.set(place, { kind: 'link', name, target: await readlink(path.join(root, place)) })
      else if (stats.isDirectory()) {
        if (isRebuilt(name)) omit(place, 'tools make it and can make it again')
        else {
          tree.set(place, { kind: 'folder', name, hash: '' })
          return true
        }
      } else if (stats.isFile()) await file(place, name, stats)
      else omit(place, 'it is a device, pipe or socket')
    } catch (error) {
      const code = systemCode(error)
      if (code === undefined) throw error
      if (code !== 'ENOENT' && code !== 'ENOTDIR') omit(place, `the system reports ${code}`)
    }
    return false
  }

  /** Notes the folders above a path. @returns whether they are folders: through a link it would lead anywhere */
  async function reach(place: string): Promise<boolean> {
    for (const parent of parentsOf(place)) {
      if (tree.get(parent)?.kind !== 'folder' && !(await entry(parent))) return false
    }
    return true
  }

  async function file(place: string, name: string, stats: BigIntStats): Promise<void> {
    if (stats.size > limits.fileBytes)
      return omit(place, `larger than the ${limits.fileBytes} bytes that are kept of one file`)
    if (files >= limits.files) return omit(place, `more than the ${limits.files} files that are kept`)
    files += 1
    const known = before.get(place)
    if (
      known?.kind === 'file' &&
      known.stamp !== '' &&
      known.stamp === stampOf(stats) &&
      (await parts.isKept(known.hash))
    ) {
      tree.set(place, known)
      return
    }
    if (read + Number(stats.size) > limits.readBytes) {
      return omit(place, `more than the ${limits.readBytes} bytes that one checkpoint reads`)
    }
    read += Number(stats.size)
    const { content, stamp } = await readWhole(path.join(root, place), limits.fileBytes)
    if (!content) return omit(place, 'it changed into something else while it was read')
    const hash = await hashOf(content)
    await parts.keep(hash, content)
    hashed += 1
    tree.set(place, { kind: 'file', name, hash, mode: Number(stats.mode & 0o777n), size: content.length, stamp })
  }

  function omit(place: string, why: string): void {
    tree.set(place, { kind: 'omitted', name: path.posix.basename(place), why })
  }

  if (paths === undefined) await folder('.')
  else {
    for (const place of paths) {
      if (place === '.' || ((await reach(place)) && (await entry(place)))) await folder(place)
    }
  }
  return { tree, hashed }
}

/** What tells two states of a file apart without reading it. */
export function stampOf(stats: BigIntStats): string {
  return `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`
}

/** The folders above a path, outermost first, without the workspace itself. */
function parentsOf(place: string): string[] {
  const names = place.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** @returns `stamp` is '' when the file changed while it was read, or so shortly before that it may again unseen */
async function readWhole(absolute: string, limit: number): Promise<{ content: Buffer | null; stamp: string }> {
  // O_NONBLOCK: opening a pipe must not wait for a writer. Neither flag exists on Windows.
  const handle = await open(absolute, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile() || stats.size > limit) return { content: null, stamp: '' }
    const content = Buffer.alloc(Number(stats.size))
    let filled = 0
    while (filled < content.length) {
      const { bytesRead } = await handle.read(content, filled, content.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    const after = await handle.stat({ bigint: true })
    const settled = stampOf(after) === stampOf(stats) && Number(stats.mtimeMs) + racy < Date.now()
    return { content: content.subarray(0, filled), stamp: settled ? stampOf(stats) : '' }
  } finally {
    await handle.close()
  }
}

/** The part of a tree that lies within `paths`. */
export function part(tree: Tree, paths: readonly string[] | undefined): Tree {
  return paths === undefined ? tree : new Map([...tree].filter(([place]) => within(place, paths)))
}

/** The entries of each folder by its path. */
export function byFolder(tree: Tree): Map<string, Entry[]> {
  const folders = new Map<string, Entry[]>([['.', []]])
  for (const [place, entry] of tree) {
    if (entry.kind === 'folder') folders.set(place, folders.get(place) ?? [])
    const parent = path.posix.dirname(place)
    const siblings = folders.get(parent)
    if (siblings) siblings.push(entry)
    else folders.set(parent, [entry])
  }
  return folders
}
