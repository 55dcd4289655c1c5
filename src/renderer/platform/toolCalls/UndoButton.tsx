import { Button, Icon, Spinner } from '../../ui/index.ts'
import { undoEdit } from '../conversation/toolCallActions.ts'
import { useChat } from '../conversation/chatStore.ts'

/** Undoes an edit and shows the outcome. */
export function UndoButton({ editId, undone = false }: { editId: string; undone?: boolean }) {
  const undo = useChat((state) => state.undo[editId])
  if (undone || undo?.kind === 'undone') {
    return (
      <span className="tool-card-undone" role="status">
        <Icon name="discard" />
        Undone
      </span>
    )
  }
  return (
    <>
      {undo?.kind === 'failed' && (
        <span className="tool-card-undo-failed" role="alert" title={undo.message}>
          <Icon name="warning" />
          Undo failed
        </span>
      )}
      <Button
        size="small"
        variant="ghost"
        icon={undo?.kind === 'working' ? undefined : 'discard'}
        disabled={undo?.kind === 'working'}
        onClick={() => void undoEdit(editId)}
      >
        {undo?.kind === 'working' && <Spinner label="Undoing" />}
        Undo
      </Button>
    </>
  )
}
