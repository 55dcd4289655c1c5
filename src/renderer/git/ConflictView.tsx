import type { DiffViewProps } from '../platform/editor/diffContributions.tsx'
import { runCommand } from '../platform/commands.ts'
import { ConflictEditor } from '../platform/editor/conflict/ConflictEditor.tsx'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { Button, EmptyState } from '../ui/index.ts'
import {
  conflictDescription,
  conflictDetailOf,
  resolveWithResult,
  resolveWithSide,
  type ConflictDetail,
} from './conflictActions.ts'
import { attemptGit } from './failures.ts'
import { lockSteps } from './lockFile.ts'

/** The conflict editor of a file, which is the result itself. */
export function ConflictView({ tab }: DiffViewProps) {
  const detail = conflictDetailOf(tab)
  const unresolved = useGit(({ statuses }) =>
    detail === null
      ? false
      : (statuses[detail.repository.id]?.groups.merge.some(({ path }) => path === detail.path) ?? false),
  )
  if (!detail) return null
  if (!unresolved)
    return (
      <EmptyState
        icon="pass"
        title="The conflict is resolved"
        actions={<Button onClick={() => runCommand('tab.close')}>Close tab</Button>}
      >
        The file was added to the staged changes.
      </EmptyState>
    )
  const { ours, theirs, editable, repository } = detail
  const model = monaco.editor.getModel(uriOf(tab.path))
  if (!editable || ours === null || theirs === null || model === null) return <SideChoice detail={detail} />
  return (
    <ConflictEditor
      key={tab.id}
      path={tab.path}
      ours={ours}
      theirs={theirs}
      model={model}
      resolve={{
        label: 'Mark as resolved',
        run: () =>
          attemptGit(
            () => resolveWithResult(detail),
            'The file could not be marked as resolved',
            lockSteps(repository.id),
          ),
      }}
    />
  )
}

/** Choice between two sides that cannot be merged by lines, such as a deleted or binary file. */
function SideChoice({ detail }: { detail: ConflictDetail }) {
  const run = (action: () => Promise<void>) =>
    attemptGit(action, 'The conflict could not be resolved', lockSteps(detail.repository.id))
  const { conflict } = detail
  const hasOurs = conflict !== 'deleted_by_us' && conflict !== 'both_deleted' && conflict !== 'added_by_them'
  const hasTheirs = conflict !== 'deleted_by_them' && conflict !== 'both_deleted' && conflict !== 'added_by_us'
  return (
    <EmptyState
      icon="git-merge"
      title={conflictDescription(detail)}
      actions={
        <>
          {hasOurs && <Button onClick={() => run(() => resolveWithSide(detail, 'ours'))}>Use our version</Button>}
          {hasTheirs && <Button onClick={() => run(() => resolveWithSide(detail, 'theirs'))}>Use their version</Button>}
          {(!hasOurs || !hasTheirs) && (
            <Button variant="danger" onClick={() => run(() => resolveWithSide(detail, 'delete'))}>
              Delete file
            </Button>
          )}
        </>
      }
    >
      Choose what to keep. {detail.ours === null && hasOurs ? 'The file is not text, so it cannot be merged.' : ''}
    </EmptyState>
  )
}
