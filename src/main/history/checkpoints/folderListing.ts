import { hash } from 'node:crypto'
import type { WorkspaceFolder } from '../../../shared/files/workspaceFolders.ts'
import type { FailedEntry, FoundEntry } from './entries.ts'

/** A folder to list. */
export interface FolderRequest {
  place: string
  /** Digest of an earlier listing. An unchanged listing is not returned again. */
  known?: string
}

/** The entries of a folder, or why it cannot be read. */
export type FolderListing =
  /** The listing matches the request's digest: same names, types, permissions, sizes, times and inodes. */
  { kind: 'unchanged' } | { kind: 'listed'; digest: string; text: string } | FailedEntry

export interface ListedEntry {
  name: string
  entry: FoundEntry
}

// As a string, because threads pass strings many times faster than objects. No name or link contains the separator.
const separator = '\0'

/** Returns the listing of a folder, without entries that have disappeared. */
export function folderListing(names: readonly string[], found: readonly FoundEntry[], known?: string): FolderListing {
  const text = names
    .flatMap((name, index) => {
      const entry = found[index]
      return entry?.kind === 'failed' && entry.code === 'ENOENT' ? [] : [name + separator + encode(entry)]
    })
    .join(separator)
  const digest = hash('sha256', text, 'base64')
  return digest === known ? { kind: 'unchanged' } : { kind: 'listed', digest, text }
}

/** Returns the listing of the root of a multi-root workspace: its folders, which are links on disk. */
export function rootListing(folders: readonly WorkspaceFolder[], known?: string): FolderListing {
  return folderListing(
    folders.map(({ name }) => name),
    folders.map(() => ({ kind: 'folder' })),
    known,
  )
}

/** Parses the entries of a listing. */
export function listedEntries(text: string): ListedEntry[] {
  if (text === '') return []
  const parts = text.split(separator)
  const entries: ListedEntry[] = []
  for (let at = 0; at + 1 < parts.length; at += 2)
    entries.push({ name: parts[at] ?? '', entry: decode(parts[at + 1] ?? '') })
  return entries
}

function encode(entry: FoundEntry | undefined): string {
  switch (entry?.kind) {
    case 'file':
      return `f${entry.mode} ${entry.size} ${entry.stamp}`
    case 'folder':
      return 'd'
    case 'link':
      return `l${entry.target}`
    case 'special':
      return 's'
    default:
      return `e${entry?.code ?? ''}`
  }
}

function decode(text: string): FoundEntry {
  const rest = text.slice(1)
  switch (text[0]) {
    case 'f': {
      const [mode, size, stamp = ''] = rest.split(' ')
      return { kind: 'file', mode: Number(mode), size: Number(size), stamp }
    }
    case 'd':
      return { kind: 'folder' }
    case 'l':
      return { kind: 'link', target: rest }
    case 's':
      return { kind: 'special' }
    default:
      return { kind: 'failed', code: rest }
  }
}
