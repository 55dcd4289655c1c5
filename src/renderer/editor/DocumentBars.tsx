import { attempt } from '../workbench/notices.ts'
import { Button, EmptyState, Icon } from '../workbench/ui/index.ts'
import { compareWithDisk, revertFile, saveFiles } from './actions.ts'
import type { DocumentState } from './documents.ts'
import { documents } from './session.ts'

/** What stands between a tab and its file on disk, and what can be done about it. */
export function DocumentBars({ document }: { document: DocumentState }) {
  const { path, disk, dirty, large, readonly } = document
  return (
    <>
      {disk === 'changed' && (
        <div className="editor-bar" role="alert" data-level="warning">
          <Icon name="warning" />
          <span className="editor-bar-text">The file changed on disk, and this tab has unsaved changes.</span>
          <Button size="small" onClick={() => attempt(() => compareWithDisk(path))}>
            Compare
          </Button>
          <Button size="small" onClick={() => attempt(() => saveFiles([path], { force: true }))}>
            Overwrite
          </Button>
          <Button size="small" onClick={() => attempt(() => revertFile(path), 'The file was not reloaded')}>
            Reload
          </Button>
        </div>
      )}
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
          <span className="editor-bar-text">Large file: colours, folding and language features are off to keep typing fast.</span>
        </div>
      )}
      {readonly && (
        <div className="editor-bar" role="note" data-level="info">
          <Icon name="lock" />
          <span className="editor-bar-text">The file is read-only: its permissions do not allow writing.</span>
        </div>
      )}
    </>
  )
}

const titles: Partial<Record<string, { icon: string; title: string }>> = {
  binary_file: { icon: 'file-binary', title: 'This is not a text file' },
  too_large: { icon: 'database', title: 'This file is too large to edit' },
  not_found: { icon: 'search-stop', title: 'The file is not there any more' },
  permission_denied: { icon: 'lock', title: 'No permission to read this file' },
  invalid_encoding: { icon: 'warning', title: 'The text cannot be decoded' },
  is_directory: { icon: 'folder', title: 'This is a folder' },
  outside_workspace: { icon: 'shield', title: 'This file is outside of the folder' },
}

/** Stands in for a file that cannot be shown: why, and what to do. */
export function FailurePage({ document }: { document: DocumentState }) {
  const { failure, path } = document
  const known = failure && titles[failure.code]
  return (
    <EmptyState
      icon={known?.icon ?? 'error'}
      title={known?.title ?? 'The file could not be opened'}
      actions={
        <Button icon="refresh" onClick={() => attempt(() => documents.retry(path))}>
          Try again
        </Button>
      }
    >
      <p>{failure?.message}</p>
      {failure?.next && <p>{failure.next}</p>}
    </EmptyState>
  )
}
