import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { useEffect, useRef, useState } from 'react'
import { absolutePath, isWorkspaceFile } from '../../shared/files/workspaceFolders.ts'
import { useWorkspace } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Icon } from '../ui/index.ts'
import { compareWithDisk } from './openTab.ts'
import { saveFiles, useConflictFocus } from './unsavedChanges.ts'
import type { DocumentState } from '../platform/editor/documents/tabDocuments.ts'
import { fileEditorOf, showInEditor, useShownAsText } from '../platform/editor/fileEditors.tsx'
import { FileViewHost, imageTypeOf } from '../platform/editor/fileViews.tsx'
import { showPreview } from '../platform/editor/tabsStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import type { Failure } from '../../shared/errors.ts'

/**
 * Warns about a file that changed on disk while its tab has unsaved changes. Flashes and takes the focus on each
 * attempt to save.
 */
function ConflictBar({ path }: { path: string }) {
  const focusRequested = useConflictFocus((state) => state.path === path)
  const [flashCount, setFlashCount] = useState(0)
  const compare = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!focusRequested) return
    useConflictFocus.setState({ path: null })
    setFlashCount((count) => count + 1)
  }, [focusRequested])
  useEffect(() => {
    if (flashCount > 0) compare.current?.focus()
  }, [flashCount])
  return (
    // The key restarts the animation.
    <div
      key={flashCount}
      className={`editor-bar ${flashCount > 0 ? 'editor-bar-flash' : ''}`}
      role="alert"
      data-level="warning"
    >
      <Icon name="warning" />
      <span className="editor-bar-text">
        The file changed on disk. <span className="editor-bar-more">This tab has unsaved changes.</span>
      </span>
      <div className="editor-bar-actions">
        <Button ref={compare} size="small" onClick={() => attempt(() => compareWithDisk(path))}>
          Compare
        </Button>
        <Button size="small" onClick={() => attempt(() => saveFiles([path], { force: true }))}>
          Overwrite
        </Button>
        <Button size="small" onClick={() => attempt(() => documents.revert(path), 'The file was not reloaded')}>
          Reload
        </Button>
      </div>
    </div>
  )
}

/** Says why a file such as a notebook is shown as text, and offers its own editor. */
function ShownAsTextBar({ path }: { path: string }) {
  const shown = useShownAsText((all) => all[path])
  const editor = fileEditorOf(path)
  if (shown === undefined || editor === undefined) return null
  return (
    <div className="editor-bar" role="note" data-level={shown.reason === '' ? 'info' : 'warning'}>
      <Icon name={shown.reason === '' ? 'info' : 'warning'} />
      <span className="editor-bar-text">
        {`This ${editor.kind} is shown as text.${shown.reason === '' ? '' : ` ${shown.reason}`}`}
      </span>
      <Button
        size="small"
        onClick={() =>
          attempt(async () => {
            if (shown.empty) await editor.fill(path)
            showInEditor(path)
          })
        }
      >
        {shown.empty ? `Create a ${editor.kind}` : `Show as ${editor.kind}`}
      </Button>
    </div>
  )
}

/** Offers to open the workspace that a `.code-workspace` file describes, unless the window shows it. */
function WorkspaceFileBar({ path }: { path: string }) {
  const workspace = useWorkspace()
  if (!workspace || !isWorkspaceFile(path)) return null
  const file = absolutePath(workspace, path)
  if (workspace.multiRoot?.file === file) return null
  return (
    <div className="editor-bar" role="note" data-level="info">
      <Icon name="root-folder" />
      <span className="editor-bar-text">This file describes a workspace.</span>
      <Button size="small" onClick={() => runCommand('workspace.openFile', file)}>
        Open workspace
      </Button>
    </div>
  )
}

/** Bars above a file: changed or deleted on disk, large, or read-only. */
export function DocumentBars({ document }: { document: DocumentState }) {
  const { path, disk, dirty, large, readonly } = document
  return (
    <div className="editor-bars">
      <ShownAsTextBar path={path} />
      <WorkspaceFileBar path={path} />
      {disk === 'changed' && <ConflictBar path={path} />}
      {disk === 'deleted' && (
        <div className="editor-bar" role="alert" data-level="warning">
          <Icon name="trash" />
          <span className="editor-bar-text">
            The file was deleted from disk.{' '}
            {dirty ? 'Your changes exist only in this tab.' : 'This tab still contains its text.'}
          </span>
          <Button size="small" onClick={() => attempt(() => saveFiles([path]))}>
            Save again
          </Button>
        </div>
      )}
      {large && (
        <div className="editor-bar" role="note" data-level="info">
          <Icon name="info" />
          <span className="editor-bar-text">
            Syntax colors, folding and language features are off, because this file is large.
          </span>
        </div>
      )}
      {readonly && (
        <div className="editor-bar" role="note" data-level="info">
          <Icon name="lock" />
          <span className="editor-bar-text">
            The file is read-only: its permissions do not allow writing.
            {dirty && ' Your changes exist only in this tab.'}
          </span>
          {!isOutsideFile(path) && (
            <Button
              size="small"
              onClick={() => attempt(() => makeWritable(path), 'The permissions of the file could not be changed')}
            >
              Make writable
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Errors of files that can be shown as bytes, but not as text. */
const shownAsBytes: ReadonlySet<string> = new Set(['binary_file', 'invalid_encoding'])

/** Replaces the editor for a file that cannot be shown. Shows an image, or the reason and what to do. */
export function FailurePage({ document }: { document: DocumentState }) {
  const { failure, path } = document
  const { icon, title, text, retry } = fileFailureMessage(failure ?? { code: 'io_error', message: '', next: '' })
  if (failure?.code === 'too_large') return <FileViewHost name="largeText" path={path} />
  if (failure?.code === 'binary_file' && imageTypeOf(path) !== null) return <FileViewHost name="image" path={path} />
  return (
    <EmptyState
      icon={icon}
      title={title}
      actions={
        <>
          {retry && (
            <Button icon="refresh" onClick={() => attempt(() => documents.retry(path))}>
              Try again
            </Button>
          )}
          {failure && shownAsBytes.has(failure.code) && (
            <Button icon="file-binary" onClick={() => showPreview(path, 'hex')}>
              Show bytes
            </Button>
          )}
        </>
      }
    >
      <p>{text}</p>
    </EmptyState>
  )
}

/** Explains to the user why a file cannot be shown. The failure's `next` is addressed to the model. */
interface FileFailureMessage {
  icon: string
  title: string
  text: string
  /** Whether to offer "Try again". A tab reloads automatically when its file changes on disk. */
  retry: boolean
}

/** Builds the message for a binary file from main's message, which ends with the kind and size in parentheses. */
function binaryText(message: string): string {
  const [, kind] = /is a binary file \(([^()]+)\)/.exec(message) ?? []
  return `This file is binary${kind ? ` (${kind})` : ''} and cannot be edited as text.`
}

/** Describes why a file cannot be shown and what the user can do. */
function fileFailureMessage({ code, message }: Failure): FileFailureMessage {
  switch (code) {
    case 'binary_file':
      return { icon: 'file-binary', title: 'This is not a text file', text: binaryText(message), retry: false }
    case 'invalid_encoding':
      return {
        icon: 'warning',
        title: 'The text cannot be decoded',
        text: `${message} Convert it to UTF-8 to edit it here.`,
        retry: false,
      }
    case 'is_directory':
      return {
        icon: 'folder',
        title: 'This is a folder',
        text: 'Open a file inside it from the explorer.',
        retry: false,
      }
    case 'outside_workspace':
      return {
        icon: 'shield',
        title: 'This file is outside the folder',
        text: 'Open the folder that contains it to edit it.',
        retry: false,
      }
    case 'not_found':
      return {
        icon: 'search-stop',
        title: 'The file no longer exists',
        text: 'It was moved or deleted.',
        retry: true,
      }
    case 'permission_denied':
      return {
        icon: 'lock',
        title: 'No permission to read this file',
        text: 'Change its permissions, then try again.',
        retry: true,
      }
    default:
      return { icon: 'error', title: 'The file could not be opened', text: message, retry: true }
  }
}

/** Gives the user permission to write a read-only file. */
async function makeWritable(path: string): Promise<void> {
  await request('files.makeWritable', { path })
  await documents.checkDisk(path)
}
