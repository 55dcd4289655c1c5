import { toWorkspacePath, type GitChange, type GitConflictKind, type GitRepository } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openDiff } from '../platform/editor/editorService.ts'
import type { DiffTab } from '../platform/editor/tabsState.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { saveFiles } from '../platform/editor/editorService.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { displayName } from './changeRows.ts'
import { markResolved, offerUnresolve } from './gitActions.ts'

/** What the conflict editor shows (`DiffTab.source.detail`). */
export interface ConflictDetail {
  repository: GitRepository
  /** Path in the repository. */
  path: string
  conflict: GitConflictKind
  /** Text of each side; null if it has none, because it is deleted, binary or too large. */
  ours: string | null
  theirs: string | null
  /** Whether the file is an existing text file, so that the result can be edited. */
  editable: boolean
}

export function conflictDetailOf({ source }: DiffTab): ConflictDetail | null {
  // Only `openConflict` creates diffs with this source.
  return source?.feature === 'gitConflict' ? (source.detail as ConflictDetail) : null
}

/** Opens a file with conflicts in the conflict editor. */
export async function openConflict(repository: GitRepository, { path, conflict }: GitChange): Promise<void> {
  const workspacePath = toWorkspacePath(repository, path)
  if (workspacePath === null) {
    notify('warning', `${displayName(path).name} is outside the open folder.`, {
      detail: 'Open the folder of the repository to resolve the conflict.',
    })
    return
  }
  const [ours, theirs, working] = await Promise.all(
    (['ours', 'theirs', 'working'] as const).map((at) =>
      request('git.fileAt', { repository: repository.id, path, at }),
    ),
  )
  const textOf = (version: typeof ours): string | null => (version?.kind === 'text' ? version.text : null)
  const editable = working?.kind === 'text'
  if (editable) await documents.open(workspacePath)
  const detail: ConflictDetail = {
    repository,
    path,
    conflict: conflict ?? 'both_modified',
    ours: textOf(ours),
    theirs: textOf(theirs),
    editable: editable && documents.get(workspacePath)?.status === 'ready',
  }
  openDiff({
    title: `${displayName(path).name} (conflict)`,
    path: workspacePath,
    original: detail.ours ?? '',
    modified: detail.editable ? null : '',
    source: { feature: 'gitConflict', detail },
  })
}

/** Saves the result and marks the file as resolved. @returns whether it is resolved */
export async function resolveWithResult({ repository, path }: ConflictDetail): Promise<void> {
  const workspacePath = toWorkspacePath(repository, path)
  if (workspacePath !== null && documents.get(workspacePath)?.dirty && !(await saveFiles([workspacePath]))) return
  await markResolved(repository.id, [{ from: 'merge', change: { path, kind: 'conflict' } }])
}

/** Resolves a conflict with one unchanged side, or by deleting the file. */
export async function resolveWithSide(
  { repository, path }: ConflictDetail,
  take: 'ours' | 'theirs' | 'delete',
): Promise<void> {
  const { skipped } = await changeRepository(repository.id, 'Resolving', (operation) =>
    request('git.resolve', { repository: repository.id, operation, path, take }),
  )
  for (const { path: name, why } of skipped) notify('warning', `${name.toWellFormed()} was not changed. ${why}`)
  const { name } = displayName(path)
  const messages = {
    ours: `Resolved ${name} with our version.`,
    theirs: `Resolved ${name} with their version.`,
    delete: `Resolved ${name} by deleting it.`,
  }
  offerUnresolve(repository.id, [path], messages[take])
}

const descriptions: Record<GitConflictKind, string> = {
  both_modified: 'Both sides changed this file.',
  both_added: 'Both sides added this file with different content.',
  both_deleted: 'Both sides deleted or renamed this file.',
  added_by_us: 'Our side added or renamed this file.',
  added_by_them: 'Their side added or renamed this file.',
  deleted_by_us: 'Our side deleted this file. Their side changed it.',
  deleted_by_them: 'Their side deleted this file. Our side changed it.',
}

/** Explains who changed the file, as a sentence. */
export function conflictDescription({ conflict }: ConflictDetail): string {
  return descriptions[conflict]
}
