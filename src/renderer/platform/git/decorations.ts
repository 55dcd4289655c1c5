import {
  gitChangeLetters,
  toWorkspacePath,
  type GitChange,
  type GitChangeKind,
  type GitStatusSummary,
} from '../../../shared/git/git.ts'

/** Color and letter of a changed file, or color of a folder that contains changed files. */
export interface GitDecoration {
  kind: GitChangeKind
  /** Name of the change kind, for screen readers and tooltips. */
  label: string
  letter: string
}

export interface TreeDecorations {
  /** By path relative to the workspace. */
  files: ReadonlyMap<string, GitDecoration>
  folders: ReadonlyMap<string, GitDecoration>
}

export const noDecorations: TreeDecorations = { files: new Map(), folders: new Map() }

export const changeKindLabels: Record<GitChangeKind, string> = {
  modified: 'Modified',
  added: 'Added',
  deleted: 'Deleted',
  renamed: 'Renamed',
  copied: 'Copied',
  type_changed: 'Type changed',
  untracked: 'Untracked',
  conflict: 'Conflict',
}

/** A folder takes the color of the first of these kinds that it contains. */
const strongestFirst: readonly GitChangeKind[] = [
  'conflict',
  'deleted',
  'modified',
  'type_changed',
  'renamed',
  'copied',
  'added',
  'untracked',
]
const strength = new Map(strongestFirst.map((kind, index) => [kind, strongestFirst.length - index]))

const decorationOf = (kind: GitChangeKind): GitDecoration => ({
  kind,
  label: changeKindLabels[kind],
  letter: gitChangeLetters[kind],
})

/** CSS color of a change kind. */
export function changeColor(kind: GitChangeKind): string {
  return `var(--color-git-${colorNames[kind]})`
}

const colorNames: Record<GitChangeKind, string> = {
  modified: 'modified',
  type_changed: 'modified',
  renamed: 'added',
  copied: 'added',
  added: 'added',
  untracked: 'added',
  deleted: 'deleted',
  conflict: 'conflict',
}

/** Pure: computes the decorations of the file tree. A working tree change takes precedence over a staged one. */
export function treeDecorations(statuses: readonly GitStatusSummary[]): TreeDecorations {
  const files = new Map<string, GitDecoration>()
  const folders = new Map<string, GitDecoration>()
  const marks = new Map(strongestFirst.map((kind) => [kind, decorationOf(kind)]))

  function add(status: GitStatusSummary, { path, kind }: GitChange): void {
    const decoration = marks.get(kind)
    const inWorkspace = toWorkspacePath(status.repository, path.endsWith('/') ? path.slice(0, -1) : path)
    if (inWorkspace === null || !decoration || files.has(inWorkspace)) return
    files.set(inWorkspace, decoration)
    // A deleted file is not in the tree, so marking its folder would lead nowhere.
    if (kind === 'deleted') return
    for (let slash = inWorkspace.lastIndexOf('/'); slash > 0; slash = inWorkspace.lastIndexOf('/', slash - 1)) {
      const folder = inWorkspace.slice(0, slash)
      const before = folders.get(folder)
      if (before && (strength.get(before.kind) ?? 0) >= (strength.get(kind) ?? 0)) break
      folders.set(folder, decoration)
    }
  }
  for (const status of statuses)
    for (const group of ['merge', 'changes', 'untracked', 'staged'] as const)
      for (const change of status.groups[group]) add(status, change)
  return { files, folders }
}
