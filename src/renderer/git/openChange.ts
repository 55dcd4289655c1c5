import {
  toWorkspacePath,
  type GitFileVersion,
  type GitRepository,
  type GitStatusSummary,
  type GitVersion,
} from '../../shared/git/git.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openDiff, openFile } from '../platform/editor/editorService.ts'
import type { DiffTab } from '../platform/editor/tabsState.ts'
import { listOpenDiffs, updateDiff } from '../platform/editor/tabsStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { displayName } from './changeRows.ts'
import type { ChangeInGroup } from './gitActions.ts'

/** What a diff of the git view compares (`DiffTab.source.detail`). */
export interface GitDiffDetail {
  repository: string
  /** Paths of the modified and the original side in the repository. */
  path: string
  originalPath: string
  /** Null: compare with nothing, for the files of a first commit. */
  original: GitVersion | null
  modified: GitVersion
  /** Whether both sides are text whose lines can be staged, unstaged or discarded. */
  lines: boolean
  /** Repository revision of the shown texts. */
  revision: string
}

/** Returns what a git diff compares; null for other diffs. */
export function gitDetailOf({ source }: DiffTab): GitDiffDetail | null {
  // Only this module creates diffs with the source `git`.
  return source?.feature === 'git' ? (source.detail as GitDiffDetail) : null
}

/** Text of a version in the diff. Describes other content in one line. */
function shownText(version: GitFileVersion): string {
  switch (version.kind) {
    case 'missing':
      return ''
    case 'text':
      return version.text
    case 'submodule':
      return `Commit ${version.commit}\n`
    case 'binary':
      return `Binary file, ${formatSize(version.size)}, ${version.id.slice(0, 8)}\n`
    case 'too_large':
      return `The file is too large to compare: ${formatSize(version.size)}, ${version.id.slice(0, 8)}\n`
  }
}

const hasLines = ({ kind }: GitFileVersion): boolean => kind === 'text' || kind === 'missing'

interface Comparison {
  repository: GitRepository
  path: string
  originalPath?: string
  original: GitVersion | null
  modified: GitVersion
}

const versionNames: Record<Extract<GitVersion, string>, string> = {
  working: 'working tree',
  index: 'index',
  head: 'HEAD',
  base: 'base',
  ours: 'ours',
  theirs: 'theirs',
}

function versionName(version: GitVersion | null): string {
  if (version === null) return 'nothing'
  return typeof version === 'string' ? versionNames[version] : version.commit.slice(0, 8)
}

/** Loads both sides of a comparison. */
async function readSides({ repository, path, originalPath = path, original, modified }: Comparison) {
  const workspacePath = toWorkspacePath(repository, path)
  const [before, after] = await Promise.all([
    original === null
      ? ({ kind: 'missing' } as const)
      : request('git.fileAt', { repository: repository.id, path: originalPath, at: original }),
    request('git.fileAt', { repository: repository.id, path, at: modified }),
  ])
  let live = false
  if (modified === 'working' && workspacePath !== null && after.kind === 'text') {
    await documents.open(workspacePath)
    live = documents.get(workspacePath)?.status === 'ready'
  }
  const detail: GitDiffDetail = {
    repository: repository.id,
    path,
    originalPath,
    original,
    modified,
    lines: hasLines(before) && hasLines(after),
    revision: useGit.getState().statuses[repository.id]?.revision ?? '',
  }
  return { original: shownText(before), modified: live ? null : shownText(after), detail }
}

/** Opens a comparison of two versions of a file. */
export async function openComparison(comparison: Comparison): Promise<void> {
  const { repository, path, original, modified } = comparison
  const { name } = displayName(path)
  const sides = await readSides(comparison)
  const title =
    modified === 'working' && original === 'index'
      ? `${name} (working tree)`
      : modified === 'index'
        ? `${name} (index)`
        : `${name} (${versionName(original)} ↔ ${versionName(modified)})`
  openDiff({
    title,
    // A file outside the folder has no workspace path. The diff then only uses the name.
    path: toWorkspacePath(repository, path) ?? path,
    original: sides.original,
    modified: sides.modified,
    source: { feature: 'git', detail: sides.detail },
  })
}

/** Opens a file of the view, as a diff or in the conflict editor. */
export async function openChange(repository: GitRepository, { from, change }: ChangeInGroup): Promise<void> {
  const { path, from: originalPath } = change
  if (from === 'merge') {
    const { openConflict } = await import('./conflictActions.ts')
    return openConflict(repository, change)
  }
  if (path.endsWith('/')) return
  await openComparison({
    repository,
    path,
    originalPath: from === 'staged' || from === 'changes' ? (originalPath ?? path) : path,
    ...(from === 'staged' ? { original: 'head', modified: 'index' } : { original: 'index', modified: 'working' }),
  })
}

/** Opens the file itself, if it is in the open folder and exists. */
export async function openWorkingFile(repository: GitRepository, path: string): Promise<void> {
  const workspacePath = toWorkspacePath(repository, path)
  if (workspacePath !== null) await openFile(workspacePath)
}

/** Reloads a repository's open diffs after HEAD, the index or a file on disk has changed. */
async function refreshDiff(diff: DiffTab): Promise<void> {
  const detail = gitDetailOf(diff)
  const repository = useGit.getState().repositories?.find(({ id }) => id === detail?.repository)
  if (!detail || !repository) return
  const sides = await readSides({ ...detail, repository })
  updateDiff({ ...diff, ...sides, source: { feature: 'git', detail: sides.detail } })
}

/** Updates the open diffs of a repository that has changed. */
export function refreshDiffs(status: GitStatusSummary): void {
  for (const diff of listOpenDiffs('git')) {
    const detail = gitDetailOf(diff)
    if (detail?.repository !== status.repository.id) continue
    const fixed = typeof detail.original !== 'string' && typeof detail.modified === 'object'
    // A live text follows its document. Everything else depends on the revision or on the disk.
    if (fixed || (diff.modified === null && detail.revision === status.revision)) continue
    refreshDiff(diff).catch(() => {
      // The file may no longer exist in any version. The diff then keeps its last texts.
    })
  }
}
