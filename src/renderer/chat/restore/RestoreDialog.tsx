import { useEffect, useState } from 'react'
import { toFailure } from '../../../shared/errors.ts'
import type { RestorePreview } from '../../../shared/restore.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { notifyFailure } from '../../platform/notices.ts'
import { Button, Dialog, Icon, Spinner } from '../../ui/index.ts'
import { stop } from '../chatActions.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { restore } from './restoreActions.ts'
import { ChangedFiles } from './ChangedFiles.tsx'
import { closeRestoreDialog, useRestoreDialog } from './restoreStore.ts'
import './restore.css'

/** Asks how far to go back to a message, and shows beforehand what that would change. Drawn while `useRestore` names one. */
export function RestoreDialog() {
  const asked = useRestoreDialog((state) => state.asked)
  const shown = useChat((state) => state.info?.id)
  if (!asked || asked.conversationId !== shown) return null
  return <Question key={asked.itemId} {...asked} />
}

type Loaded = { preview: RestorePreview } | { failure: string } | null

function Question({ conversationId, itemId, text }: { conversationId: string; itemId: string; text: string }) {
  const running = useChat((state) => state.running)
  const [loaded, setLoaded] = useState<Loaded>(null)
  const [unsavedToo, setUnsavedToo] = useState(false)
  const [working, setWorking] = useState(false)

  useEffect(() => {
    // A turn may still change files: what it has done is looked at when it has ended.
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
      notifyFailure(error, 'The message could not be gone back to')
    }
  }

  const blocked = running || working || preview === null
  const filesToo = preview !== null && preview.changes.length > 0
  return (
    <Dialog
      title="Go back to this message"
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
        <blockquote className="restore-message">{text.length > 300 ? `${text.slice(0, 300)}…` : text}</blockquote>
        {running ? (
          <div className="restore-note" role="status">
            <Icon name="warning" />
            <span>A turn is under way. It has to be stopped first.</span>
            <Button size="small" onClick={stop}>
              Stop the turn
            </Button>
          </div>
        ) : loaded === null ? (
          <div className="restore-loading">
            <Spinner label="Looking at what has changed" /> Looking at what has changed…
          </div>
        ) : 'failure' in loaded ? (
          <p role="alert">{loaded.failure}</p>
        ) : (
          <What preview={loaded.preview} unsavedToo={unsavedToo} onUnsavedToo={setUnsavedToo} />
        )}
      </div>
    </Dialog>
  )
}

function What({
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
        <ChangedFiles checkpoint={checkpoint.id} changes={changes} />
      ) : (
        <p className="restore-none">
          {missing === 'forgotten'
            ? 'The files as they were then are no longer kept; older states make room for newer ones.'
            : 'No file was changed from this message on.'}
        </p>
      )}
      {first !== undefined && (
        <label className="restore-note">
          <input type="checkbox" checked={unsavedToo} onChange={(event) => onUnsavedToo(event.target.checked)} />
          <span>
            {unsaved.length === 1 ? `${first} has` : `${unsaved.join(', ')} have`} unsaved changes and would be left
            alone. Save {unsaved.length === 1 ? 'it' : 'them'} now and go back here too; undoing brings the saved text
            back.
          </span>
        </label>
      )}
      {jobs.map((job) => (
        <div key={job.id} className="restore-note">
          <Icon name="warning" />
          <span>
            <code>{job.command}</code> still runs and may go on writing.
          </span>
        </div>
      ))}
      <p className="restore-hint">
        With the conversation, this message{items > 1 ? ' and all that follows' : ''} is taken out; its text goes back
        to where you write. Whatever you choose can be undone.
      </p>
    </>
  )
}
