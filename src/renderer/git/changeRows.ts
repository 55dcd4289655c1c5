import type { GitChange, GitGroup, GitStatusSummary } from '../../shared/git/git.ts'

/** The view's groups. Untracked files are in the changes, as in other editors. */
export type ShownGroup = 'merge' | 'staged' | 'changes'

export const groupTitles: Record<ShownGroup, string> = {
  merge: 'Merge changes',
  staged: 'Staged changes',
  changes: 'Changes',
}

export type ChangeRow =
  | { kind: 'group'; id: string; group: ShownGroup; count: number; folded: boolean }
  | { kind: 'folder'; id: string; group: ShownGroup; path: string; name: string; depth: number; folded: boolean }
  | { kind: 'change'; id: string; group: ShownGroup; from: GitGroup; change: GitChange; depth: number }

export interface RowOptions {
  /** Whether to show files below their folders. */
  tree: boolean
  /** Ids of folded groups and folders. */
  folded: ReadonlySet<string>
}

interface Entry {
  from: GitGroup
  change: GitChange
}

const shownGroups: Record<ShownGroup, readonly GitGroup[]> = {
  merge: ['merge'],
  staged: ['staged'],
  changes: ['changes', 'untracked'],
}

const order = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/', path.length - 2) + 1)
const folderOf = (path: string): string => path.slice(0, path.length - nameOf(path).length)

/** Pure: builds the view's rows. Empty groups have no rows, except the changes if all groups are empty. */
export function changeRows(status: GitStatusSummary, { tree, folded }: RowOptions): ChangeRow[] {
  const rows: ChangeRow[] = []
  for (const [group, sources] of Object.entries(shownGroups) as [ShownGroup, readonly GitGroup[]][]) {
    const entries = sources.flatMap((from) => status.groups[from].map((change): Entry => ({ from, change })))
    const count = sources.reduce((sum, from) => sum + status.counts[from], 0)
    if (count === 0 && (group !== 'changes' || rows.length > 0)) continue
    const isFolded = folded.has(group)
    rows.push({ kind: 'group', id: group, group, count, folded: isFolded })
    if (isFolded) continue
    if (tree) addTree(rows, group, entries, folded)
    else addList(rows, group, entries)
  }
  return rows
}

const rowOf = (group: ShownGroup, { from, change }: Entry, depth: number): ChangeRow => ({
  kind: 'change',
  id: `${group}:${change.path}`,
  group,
  from,
  change,
  depth,
})

function addList(rows: ChangeRow[], group: ShownGroup, entries: readonly Entry[]): void {
  const sorted = entries.toSorted((a, b) => order.compare(a.change.path, b.change.path))
  for (const entry of sorted) rows.push(rowOf(group, entry, 0))
}

interface Folder {
  path: string
  folders: Map<string, Folder>
  entries: Entry[]
}

function addTree(rows: ChangeRow[], group: ShownGroup, entries: readonly Entry[], folded: ReadonlySet<string>): void {
  const root: Folder = { path: '', folders: new Map(), entries: [] }
  for (const entry of entries) {
    let folder = root
    for (const name of folderOf(entry.change.path).split('/').filter(Boolean)) {
      const path = `${folder.path}${name}/`
      const next = folder.folders.get(name) ?? { path, folders: new Map(), entries: [] }
      folder.folders.set(name, next)
      folder = next
    }
    folder.entries.push(entry)
  }
  function add(folder: Folder, depth: number): void {
    for (const child of [...folder.folders.values()].toSorted((a, b) => order.compare(a.path, b.path))) {
      // Folders that contain only one folder share a row with it.
      let last = child
      for (let only = onlyFolder(last); only; only = onlyFolder(last)) last = only
      const id = `${group}/${last.path}`
      const isFolded = folded.has(id)
      const name = last.path.slice(folder.path.length, -1)
      rows.push({ kind: 'folder', id, group, path: last.path, name, depth, folded: isFolded })
      if (!isFolded) add(last, depth + 1)
    }
    for (const entry of folder.entries.toSorted((a, b) => order.compare(a.change.path, b.change.path)))
      rows.push(rowOf(group, entry, depth))
  }
  add(root, 0)
}

function onlyFolder({ folders, entries }: Folder): Folder | undefined {
  return folders.size === 1 && entries.length === 0 ? folders.values().next().value : undefined
}

/** Returns the changes that an action on a row affects: its own, or those below it. */
export function changesOf(row: ChangeRow, status: GitStatusSummary): { from: GitGroup; change: GitChange }[] {
  if (row.kind === 'change') return [{ from: row.from, change: row.change }]
  const below = row.kind === 'folder' ? row.path : ''
  return shownGroups[row.group].flatMap((from) =>
    status.groups[from].filter(({ path }) => path.startsWith(below)).map((change) => ({ from, change })),
  )
}

/** Splits a path into its name and folder, for display. Bytes that are not valid UTF-8 are shown as �. */
export function displayName(path: string): { name: string; folder: string } {
  const shown = path.toWellFormed()
  const name = nameOf(shown)
  return { name: name.endsWith('/') ? name.slice(0, -1) : name, folder: folderOf(shown).slice(0, -1) }
}
