import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { toFailure } from '../../shared/errors.ts'
import type { FolderListing } from '../../shared/files/files.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, Icon, IconButton, Spinner } from '../ui/index.ts'
import { useFolderPicker, type FolderQuestion } from '../platform/files/folderPicker.ts'

/**
 * Lists the parent of the open or most recent folder, where the user's next folder probably is, or else the home
 * folder.
 */
export async function startListing(): Promise<FolderListing> {
  const state = useApp.getState().state
  const last = state?.workspace?.root ?? state?.recents[0]
  const parent = last?.slice(0, last.lastIndexOf('/'))
  if (parent) {
    try {
      return await request('folders.list', { path: parent })
    } catch {
      // The parent may no longer exist. List the home folder.
    }
  }
  return request('folders.list', {})
}

/** Dialog to choose a folder on the machine that runs Tizona. Enter opens a subfolder, Backspace the parent. */
function FolderPickerDialog({ question, onClose }: { question: FolderQuestion; onClose: () => void }) {
  const [listing, setListing] = useState<FolderListing | null>(null)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState('')
  const list = useRef<HTMLDivElement>(null)

  async function show(path?: string, focusList = false): Promise<void> {
    try {
      const found = await request('folders.list', path === undefined ? {} : { path })
      setListing(found)
      setTyped(found.path)
      setProblem('')
      if (focusList) list.current?.focus()
    } catch (error) {
      setProblem(toFailure(error).message)
    }
  }
  useEffect(() => {
    startListing()
      .then((found) => {
        // The user may have typed a path or listed another folder in the meantime.
        setListing((shown) => shown ?? found)
        setTyped((path) => (path === '' ? found.path : path))
      })
      .catch((error: unknown) => setProblem(toFailure(error).message))
  }, [])

  function choose(): void {
    const path = typed.trim()
    attempt(async () => {
      try {
        await question.choose(path)
        onClose()
      } catch (error) {
        setProblem(toFailure(error).message)
      }
    })
  }

  function onListKey(event: KeyboardEvent<HTMLDivElement>): void {
    const options = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=option]')]
    const index = options.findIndex((option) => option === document.activeElement)
    if (event.key === 'ArrowDown') options[Math.min(options.length - 1, index + 1)]?.focus()
    else if (event.key === 'ArrowUp') options[Math.max(0, index - 1)]?.focus()
    else if (event.key === 'Backspace' || event.key === 'ArrowLeft') {
      if (listing?.parent !== undefined) void show(listing.parent, true)
    } else return
    event.preventDefault()
  }

  return (
    <Dialog
      title={question.title}
      width={560}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={choose} disabled={typed.trim() === ''}>
            {question.action}
          </Button>
        </>
      }
    >
      <PathField
        path={typed}
        parent={listing?.parent}
        invalid={problem !== ''}
        onChange={setTyped}
        onSubmit={() => (typed.trim() === listing?.path ? choose() : void show(typed.trim()))}
        onParent={() => void show(listing?.parent, true)}
      />
      {problem && (
        <p className="picker-problem" role="alert">
          {problem}
        </p>
      )}
      <div ref={list} className="picker-list" tabIndex={-1} onKeyDown={onListKey}>
        <FolderList listing={listing} onOpen={(path) => void show(path, true)} />
      </div>
    </Dialog>
  )
}

interface PathFieldProps {
  path: string
  /** Path of the parent folder; undefined at the root. */
  parent: string | undefined
  invalid: boolean
  onChange: (path: string) => void
  onSubmit: () => void
  onParent: () => void
}

function PathField({ path, parent, invalid, onChange, onSubmit, onParent }: PathFieldProps) {
  return (
    <form
      className="picker-path"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <IconButton icon="arrow-up" label="Parent folder" disabled={parent === undefined} onClick={onParent} />
      <input
        className="ui-input"
        aria-label="Folder path"
        value={path}
        spellCheck={false}
        data-autofocus
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={invalid || undefined}
      />
    </form>
  )
}

function FolderList({ listing, onOpen }: { listing: FolderListing | null; onOpen: (path: string) => void }) {
  if (listing === null) return <Spinner />
  if (listing.folders.length === 0)
    return <p className="picker-empty">No subfolders. "Open this folder" opens the folder shown above.</p>
  return (
    <div role="listbox" aria-label="Folders">
      {listing.folders.map((folder) => (
        <button
          key={folder.path}
          type="button"
          role="option"
          aria-selected={false}
          className="ui-list-button picker-folder"
          onClick={() => onOpen(folder.path)}
        >
          <Icon name="folder" />
          {folder.name}
        </button>
      ))}
    </div>
  )
}

/** Renders the folder picker while it is open. */
export function FolderPicker() {
  const { question } = useFolderPicker()
  return (
    question && <FolderPickerDialog question={question} onClose={() => useFolderPicker.setState({ question: null })} />
  )
}
