import { useEffect, useRef, useState } from 'react'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Icon } from '../ui/index.ts'
import { compareWithDisk, revertFile, saveFiles } from './editorActions.ts'
import { useConflictFocus } from './conflictStore.ts'
import type { DocumentState } from '../platform/editor/documents.ts'
import { fileFailureMessage } from './fileFailureMessages.ts'
import { documents } from '../platform/editor/windowDocuments.ts'

/** The bar flashes and takes the focus each time the user tries to save. */
function ConflictBar({ path }: { path: string }) {
  const asked = useConflictFocus((state) => state.path === path)
  const [times, setTimes] = useState(0)
  const compare = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!asked) return
    useConflictFocus.setState({ path: null })
    setTimes((before) => before + 1)
  }, [asked])
  useEffect(() => {
    if (times > 0) compare.current?.focus()
  }, [times])
  return (
    // A new key restarts the animation.
    <div key={times} className={`editor-bar ${times > 0 ? 'editor-bar-asked' : ''}`} role="alert" data-level="warning">
      <Icon name="warning" />
      <span className="editor-bar-text">
        The file changed on disk<span className="editor-bar-more">, and this tab has unsaved changes</span>.
      </span>
      <div className="editor-bar-actions">
        <Button ref={compare} size="small" onClick={() => attempt(() => compareWithDisk(path))}>
          Compare
        </Button>
        <Button size="small" onClick={() => attempt(() => saveFiles([path], { force: true }))}>
          Overwrite
        </Button>
        <Button size="small" onClick={() => attempt(() => revertFile(path), 'The file was not reloaded')}>
          Reload
        </Button>
      </div>
    </div>
  )
}

/** What stands between a tab and its file on disk, and what can be done about it. */
export function DocumentBars({ document }: { document: DocumentState }) {
  const { path, disk, dirty, large, readonly } = document
  return (
    <div className="editor-bars">
      {disk === 'changed' && <ConflictBar path={path} />}
      {disk === 'deleted' && (
        <div className="editor-bar" role="alert" data-level="warning">
          <Icon name="trash" />
          <span className="editor-bar-text">
            The file is gone from the disk. {dirty ? 'Your changes are only here.' : 'This tab still holds its text.'}
          </span>
          <Button size="small" onClick={() => attempt(() => saveFiles([path], { force: true }))}>
            Save again
          </Button>
        </div>
      )}
      {large && (
        <div className="editor-bar" role="note" data-level="info">
          <Icon name="info" />
          <span className="editor-bar-text">
            Large file: colours, folding and language features are off to keep typing fast.
          </span>
        </div>
      )}
      {readonly && (
        <div className="editor-bar" role="note" data-level="info">
          <Icon name="lock" />
          <span className="editor-bar-text">The file is read-only: its permissions do not allow writing.</span>
        </div>
      )}
    </div>
  )
}

/** Stands in for a file that cannot be shown: why, and what to do. */
export function FailurePage({ document }: { document: DocumentState }) {
  const { failure, path } = document
  const { icon, title, text, retry } = fileFailureMessage(failure ?? { code: 'io_error', message: '', next: '' })
  return (
    <EmptyState
      icon={icon}
      title={title}
      actions={
        retry && (
          <Button icon="refresh" onClick={() => attempt(() => documents.retry(path))}>
            Try again
          </Button>
        )
      }
    >
      <p>{text}</p>
    </EmptyState>
  )
}
