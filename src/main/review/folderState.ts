import { asSentence } from '../base/asSentence.ts'
import { parentFolders } from '../base/parentFolders.ts'
import type { Entry, Tree } from '../history/checkpoints/entries.ts'
import { mayChangePath } from './activeCalls.ts'
import { entryChanges, type EntryChange } from './callChanges.ts'
import { missing, type Content } from './reviewContent.ts'
import type { TextCodec } from './reviewStore.ts'
import type { StoredContents } from './storedReview.ts'

export interface Observation {
  changes: EntryChange[]
  /** The state before. */
  before: Tree
}

/** The last observed state of the workspace on disk. */
export interface FolderState {
  /** Whether the whole workspace has been read. */
  isComplete(): boolean
  /**
   * Reads the state of paths, or of the whole workspace, and returns what has changed since the last observation.
   * @param since a state of the whole workspace read after this time is reused, unless part of it was observed since
   */
  observe(paths: readonly string[] | undefined, signal?: AbortSignal, since?: number): Promise<Observation>
  entry(path: string): Entry | undefined
  /** Returns the state of paths with their parent folders, or of the whole workspace. */
  within(paths: readonly string[] | undefined): Tree
  /** Replaces the state of paths, or of the whole workspace, with an earlier one. */
  replace(paths: readonly string[] | undefined, earlier: Tree): void
  /** Sets what another process observed. Undefined for a missing entry. */
  setEntries(entries: ReadonlyMap<string, Entry | undefined>): void
  /** Reads an entry on disk without observing its changes. */
  read(path: string): Promise<Entry | undefined>
  /** Returns the content of an entry. @throws ToolError if it is no longer stored */
  contentOf(path: string, entry: Entry | undefined): Promise<Content>
}

interface FolderStateDeps {
  scan(paths: readonly string[] | undefined, signal?: AbortSignal, known?: Pick<Tree, 'get'>): Promise<Tree>
  latest?(since: number): Tree | undefined
  contents: StoredContents
  codec: TextCodec
}

/** @param known entries from an earlier process */
export function createFolderState({ scan, latest, contents, codec }: FolderStateDeps, known: Tree): FolderState {
  let seen: Tree = new Map(known)
  let complete = false
  /** When `seen` last changed, by `performance.now()`. */
  let seenAt = -Infinity

  function setSeen(entries: Tree): void {
    seen = entries
    seenAt = performance.now()
  }

  return {
    isComplete: () => complete,
    async observe(paths, signal, since) {
      const before = seen
      const read = paths === undefined && since !== undefined && since > seenAt ? latest?.(since) : undefined
      const now = read ?? (await scan(paths, signal, before))
      const changes = entryChanges(before, now, paths)
      if (paths === undefined) {
        setSeen(now)
        complete = true
        return { changes, before }
      }
      const next: Tree = new Map(before)
      for (const { path, after } of changes) if (!after) next.delete(path)
      for (const [path, entry] of now) next.set(path, entry)
      setSeen(next)
      return { changes, before }
    },
    entry: (path) => seen.get(path),
    within(paths) {
      if (paths === undefined) return seen
      const found: Tree = new Map()
      for (const path of paths.flatMap((each) => [...parentFolders(each), each])) {
        const entry = seen.get(path)
        if (entry) found.set(path, entry)
      }
      const folders = paths.filter((path) => path === '.' || seen.get(path)?.kind === 'folder')
      if (folders.length > 0)
        for (const [path, entry] of seen) if (mayChangePath({ paths: folders }, path)) found.set(path, entry)
      return found
    },
    replace(paths, earlier) {
      const isReplaced = ([path]: [string, Entry]): boolean => mayChangePath({ paths }, path)
      setSeen(new Map([...[...seen].filter((each) => !isReplaced(each)), ...[...earlier].filter(isReplaced)]))
    },
    setEntries(entries) {
      const next = new Map(seen)
      for (const [path, entry] of entries) {
        if (entry) next.set(path, entry)
        else next.delete(path)
      }
      setSeen(next)
    },
    read: async (path) => (await scan([path], undefined, seen)).get(path),
    async contentOf(path, entry) {
      if (!entry || entry.kind === 'folder') return missing
      if (entry.kind === 'link') return { kind: 'link', target: entry.target }
      if (entry.kind === 'omitted')
        return { kind: 'unknown', why: `This file cannot be reviewed. ${asSentence(entry.why)}` }
      const { hash, mode } = entry
      const decoded = codec.decode(await contents.get(hash), path)
      if ('text' in decoded) return { kind: 'text', ...decoded, mode, hash }
      return { kind: 'binary', hash, mode, ...(decoded.why !== undefined && { why: decoded.why }) }
    },
  }
}
