import { useEffect, useState } from 'react'
import { toFailure } from '../../../shared/errors.ts'
import type { RestorePreview, CheckpointChange } from '../../../shared/review/restore.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { notifyFailure } from '../../platform/notices.ts'
import { Button, Dialog, Icon, Spinner } from '../../ui/index.ts'
import { stop } from '../chatActions.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { restore } from './restoreActions.ts'
import { closeRestoreDialog, useRestoreDialog } from './restoreStore.ts'
import { truncate } from '../../../shared/text/truncate.ts'
import './restore.css'
import { plural } from '../../../shared/text/plural.ts'
import { openChange } from '../../platform/editor/openLocation.ts'
import { DiffExcerpt } from '../../ui/diff/DiffExcerpt.tsx'

/**
 * Dialog that restores files and the conversation to a message, with a preview of the changes. Open while
 * `useRestoreDialog` has a target.
 */
export function RestoreDialog() {
  const target = useRestoreDialog((state) => state.target)
  const shown = useChat((state) => state.info?.id)
  if (!target || target.conversationId !== shown) return null
  return <RestoreForm key={target.itemId} {...target} />
}

type Loaded = { preview: RestorePreview } | { failure: string } | null

function RestoreForm({ conversationId, itemId, text }: { conversationId: string; itemId: string; text: string }) {
  const running = useChat((state) => state.running)
  const [loaded, setLoaded] = useState<Loaded>(null)
  const [unsavedToo, setUnsavedToo] = useState(false)
  const [working, setWorking] = useState(false)

  useEffect(() => {
    // Load the preview after a running turn, which may still change files.
    if (running) return
    let current = true
    const set = (next: Loaded) => {
      if (current) setLoaded(next)
    }
    request('conversations.restorePreview', { id: conversationId, itemId }).then(
      (preview) => set({ preview }),
      (error: unknown) => set({ failure: toFailure(error).message }),
    )
    return () => {
      current = false
    }
  }, [conversationId, itemId, running])

  const preview = loaded && 'preview' in loaded ? loaded.preview : null
  async function run(files: boolean, conversation: boolean): Promise<void> {
    setWorking(true)
    try {
      const save = files && unsavedToo && preview ? preview.unsaved : []
      if (await restore(conversationId, itemId, { files, conversation, save })) return closeRestoreDialog()
      setWorking(false)
    } catch (error) {
      setWorking(false)
      notifyFailure(error, 'The restore failed')
    }
  }

  const blocked = running || working || preview === null
  const filesToo = preview !== null && preview.changes.length > 0
  return (
    <Dialog
      title="Restore to this message"
      width={600}
      onClose={closeRestoreDialog}
      footer={
        <>
          <Button onClick={closeRestoreDialog}>Cancel</Button>
          <Button disabled={blocked} variant={filesToo ? 'default' : 'primary'} onClick={() => void run(false, true)}>
            Conversation only
          </Button>
          <Button disabled={blocked || !filesToo} onClick={() => void run(true, false)}>
            Files only
          </Button>
          {(filesToo || preview === null) && (
            <Button disabled={blocked} variant="primary" data-autofocus onClick={() => void run(true, true)}>
              Files and conversation
            </Button>
          )}
        </>
      }
    >
      <div className="restore">
        <blockquote className="restore-message">{truncate(text, 300)}</blockquote>
        {running ? (
          <div className="restore-note" role="status">
            <Icon name="warning" />
            <span>A turn is running. Stop it first.</span>
            <Button size="small" onClick={stop}>
              Stop the turn
            </Button>
          </div>
        ) : loaded === null ? (
          <div className="restore-loading">
            <Spinner label="Comparing files" /> Comparing files…
          </div>
        ) : 'failure' in loaded ? (
          <p role="alert">{loaded.failure}</p>
        ) : (
          <PreviewDetails preview={loaded.preview} unsavedToo={unsavedToo} onUnsavedToo={setUnsavedToo} />
        )}
      </div>
    </Dialog>
  )
}

function PreviewDetails({
  preview,
  unsavedToo,
  onUnsavedToo,
}: {
  preview: RestorePreview
  unsavedToo: boolean
  onUnsavedToo: (unsavedToo: boolean) => void
}) {
  const { checkpoint, missing, changes, unsaved, jobs, items } = preview
  const [first] = unsaved
  return (
    <>
      {checkpoint ? (
        <ChangedFiles checkpoint={checkpoint.id} files={changes} />
      ) : (
        <p className="restore-none">
          {missing === 'forgotten'
            ? 'The checkpoint for this message was deleted to make room for newer ones, so the files cannot be restored.'
            : 'No file has changed since this message.'}
        </p>
      )}
      {first !== undefined && (
        <label className="restore-note">
          <input type="checkbox" checked={unsavedToo} onChange={(event) => onUnsavedToo(event.target.checked)} />
          <span>
            {unsaved.length === 1
              ? `${first} has unsaved changes and would be skipped. Save and restore it too.`
              : `${unsaved.join(', ')} have unsaved changes and would be skipped. Save and restore them too.`}{' '}
            Undoing the restore recovers the saved text.
          </span>
        </label>
      )}
      {jobs.map((job) => (
        <div key={job.id} className="restore-note">
          <Icon name="warning" />
          <span>
            <code>{job.command}</code> is still running and may change files.
          </span>
        </div>
      ))}
      <p className="restore-hint">
        {items > 1
          ? 'Restoring the conversation removes this message and everything after it, and puts its text into the composer.'
          : 'Restoring the conversation removes this message and puts its text into the composer.'}{' '}
        You can undo every restore.
      </p>
    </>
  )
}

/** Number of files shown at first, and added by each "Show more". */
const pageSize = 200

/** How a file changed since the checkpoint, and what the restore does to it. */
const changes = {
  created: { change: 'created', note: 'Created. Will be deleted.' },
  changed: { change: 'modified', note: 'Changed. Will be restored.' },
  deleted: { change: 'deleted', note: 'Deleted. Will be restored.' },
} as const

/** Lists the files that differ from the checkpoint. Each expands to its diff. */
function ChangedFiles({ checkpoint, files }: { checkpoint: number; files: readonly CheckpointChange[] }) {
  const [shown, setShown] = useState(pageSize)
  if (files.length === 0) return <p className="restore-none">No file has changed since this message.</p>
  return (
    <section aria-label="Files changed since this message">
      <h3 className="restore-heading">{`${plural(files.length, 'changed file')} since this message`}</h3>
      <ul className="diff diff-list">
        {files.slice(0, shown).map(({ path, change }) => (
          <li key={path}>
            <DiffExcerpt
              file={{ path, ...changes[change] }}
              load={() => request('conversations.restoreDiff', { checkpoint, path })}
              onOpenDiff={(file) => {
                // The dialog covers the editor.
                closeRestoreDialog()
                openChange(file, 'since the message')
              }}
            />
          </li>
        ))}
      </ul>
      {files.length > shown && (
        <Button size="small" variant="ghost" onClick={() => setShown(shown + pageSize)}>
          {`Show ${Math.min(pageSize, files.length - shown)} more`}
        </Button>
      )}
    </section>
  )
}
