import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { toFailure } from '../../shared/errors.ts'
import type { FolderListing } from '../../shared/files.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, Icon, IconButton, Spinner } from '../ui/index.ts'
import { openFolder, useFolderPicker } from './openFolder.ts'

/** Lists the parent of the open or most recent folder, where the next folder is likely to be; else the home folder. */
export async function startListing(): Promise<FolderListing> {
  const state = useApp.getState().state
  const last = state?.workspace?.root ?? state?.recents[0]
  const around = last?.slice(0, last.lastIndexOf('/'))
  if (around) {
    try {
      return await request('folders.list', { path: around })
    } catch {
      // The recent folder may not exist any more. Use the home folder.
    }
  }
  return request('folders.list', {})
}

/** Picks a folder on the machine that runs Tizona: by path, or with arrow keys, Enter and Backspace. */
function FolderPickerDialog({ onClose }: { onClose: () => void }) {
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
        setListing(found)
        setTyped(found.path)
      })
      .catch((error: unknown) => setProblem(toFailure(error).message))
  }, [])

  function choose(): void {
    const path = typed.trim()
    attempt(async () => {
      try {
        await openFolder(path)
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
      title="Open folder"
      width={560}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={choose} disabled={typed.trim() === ''}>
            Open this folder
          </Button>
        </>
      }
    >
      <form
        className="picker-path"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.trim() === listing?.path) choose()
          else void show(typed.trim())
        }}
      >
        <IconButton
          icon="arrow-up"
          label="Parent folder"
          disabled={listing?.parent === undefined}
          onClick={() => void show(listing?.parent, true)}
        />
        <input
          className="ui-input"
          aria-label="Folder path"
          value={typed}
          spellCheck={false}
          data-autofocus
          onChange={(event) => setTyped(event.target.value)}
          aria-invalid={problem !== '' || undefined}
        />
      </form>
      {problem && (
        <p className="picker-problem" role="alert">
          {problem}
        </p>
      )}
      <div ref={list} className="picker-list" tabIndex={-1} onKeyDown={onListKey}>
        {listing === null ? (
          <Spinner />
        ) : listing.folders.length === 0 ? (
          <p className="picker-empty">No folders in here. “Open this folder” opens it.</p>
        ) : (
          <div role="listbox" aria-label="Folders">
            {listing.folders.map((folder) => (
              <button
                key={folder.path}
                type="button"
                role="option"
                aria-selected={false}
                className="picker-folder"
                onClick={() => void show(folder.path, true)}
              >
                <Icon name="folder" />
                {folder.name}
              </button>
            ))}
          </div>
        )}
      </div>
    </Dialog>
  )
}

export function FolderPicker() {
  const open = useFolderPicker((state) => state.open)
  return open && <FolderPickerDialog onClose={() => useFolderPicker.setState({ open: false })} />
}
