import { createHash } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'

/** One folder entry in a checkpoint. Field order matters, because equal folders must serialize equally. */
export const entrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    name: z.string(),
    /** SHA-256 of the content, which is also the name of its blob. */
    hash: z.string(),
    /** Permission bits. */
    mode: z.number(),
    /** Size in bytes. */
    size: z.number(),
    /** Modification time and inode; '' if the file could have changed since without a visible change of its time. */
    stamp: z.string(),
  }),
  /** A symbolic link. Stored as is, not followed. */
  z.object({ kind: z.literal('link'), name: z.string(), target: z.string() }),
  /** `hash` is the key of the folder's row. */
  z.object({ kind: z.literal('folder'), name: z.string(), hash: z.string() }),
  /** An entry that was not stored. A restore does not change it. */
  z.object({ kind: z.literal('omitted'), name: z.string(), why: z.string() }),
])
export type Entry = z.output<typeof entrySchema>
export type FileEntry = Extract<Entry, { kind: 'file' }>

/** Entries by path relative to the workspace, folders before what is in them. */
export type Tree = Map<string, Entry>

/** Returns the path of an entry of a folder. `.` is the workspace itself. */
export function childPath(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}

/** Whether a path equals or is inside one of `paths`. Always true without `paths`. */
export function isWithin(place: string, paths: readonly string[] | undefined): boolean {
  return paths === undefined || paths.some((scope) => scope === '.' || place === scope || place.startsWith(`${scope}/`))
}

/** Returns the entries of a tree within `paths`. */
export function entriesWithin(tree: Tree, paths: readonly string[] | undefined): Tree {
  return paths === undefined ? tree : new Map([...tree].filter(([place]) => isWithin(place, paths)))
}

/** Groups entries by the path of their folder. */
export function groupByFolder(tree: Tree): Map<string, Entry[]> {
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

/** What is at a path. Excludes file content. */
export type FoundEntry =
  | { kind: 'file'; mode: number; size: number; stamp: string }
  | { kind: 'folder' }
  | { kind: 'link'; target: string }
  /** A device, pipe or socket. */
  | { kind: 'special' }
  | FailedEntry

/** A failure reported by the system. */
export interface FailedEntry {
  kind: 'failed'
  code: string
}

/** Number of bytes hashed before yielding to other work; takes about a millisecond. */
const hashChunk = 1024 * 1024

/** Returns the SHA-256 as hexadecimal digits. Yields between chunks of large content. */
export async function hashOf(content: Buffer): Promise<string> {
  const digest = createHash('sha256')
  for (let at = 0; at < content.length; at += hashChunk) {
    if (at > 0) await new Promise(setImmediate)
    digest.update(content.subarray(at, at + hashChunk))
  }
  return digest.digest('hex')
}
