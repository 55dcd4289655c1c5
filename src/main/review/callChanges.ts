import type { Entry, Tree } from '../history/checkpoints/entries.ts'

/** A path whose entry on disk has changed. An absent entry means missing or a folder. */
export interface EntryChange {
  path: string
  before?: Entry
  after?: Entry
}

/** Returns the changes between two scans of the same paths, sorted by path. Ignores entries that one of them omits. */
export function entryChanges(before: Tree, after: Tree, paths: readonly string[] | undefined): EntryChange[] {
  if (before === after) return []
  const changes: EntryChange[] = []
  const inScope = (path: string) =>
    paths === undefined || paths.some((scope) => scope === '.' || path === scope || path.startsWith(`${scope}/`))
  for (const [path, entry] of after) {
    if (!inScope(path) || entry.kind === 'folder') continue
    const old = contentEntry(before.get(path))
    if (old ? sameEntry(old, entry) : isLeftOut(entry, path, before)) continue
    changes.push({ path, before: old, after: entry })
  }
  for (const [path, entry] of before) {
    if (!inScope(path) || !contentEntry(entry) || contentEntry(after.get(path))) continue
    if (!isLeftOut(entry, path, after)) changes.push({ path, before: entry })
  }
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Finds deleted files that were recreated at another path with the same content. @returns the old path by new path */
export function findRenames(changes: readonly EntryChange[]): Map<string, string> {
  const deleted = new Map<string, string>()
  for (const { path, before, after } of changes)
    if (before?.kind === 'file' && !after && before.size > 0 && !deleted.has(before.hash))
      deleted.set(before.hash, path)
  const renames = new Map<string, string>()
  for (const { path, before, after } of changes) {
    const from = !before && after?.kind === 'file' ? deleted.get(after.hash) : undefined
    if (from === undefined || after?.kind !== 'file') continue
    renames.set(path, from)
    deleted.delete(after.hash)
  }
  return renames
}

function contentEntry(entry: Entry | undefined): Entry | undefined {
  return entry?.kind === 'folder' ? undefined : entry
}

function sameEntry(one: Entry, other: Entry): boolean {
  if (one.kind === 'file') return other.kind === 'file' && one.hash === other.hash && one.mode === other.mode
  if (one.kind === 'link') return other.kind === 'link' && one.target === other.target
  return one.kind === other.kind
}

/** Whether an entry was omitted for a reason other than its size, or a parent folder was omitted in the other scan. */
function isLeftOut(entry: Entry, path: string, other: Tree): boolean {
  if (entry.kind === 'omitted' && !/^(?:It is )?larger than/.test(entry.why)) return true
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (other.get(path.slice(0, at))?.kind === 'omitted') return true
  return false
}
