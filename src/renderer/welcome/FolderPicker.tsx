import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { toFailure } from '../../shared/errors.ts'
import type { FolderListing } from '../../shared/files/files.ts'
import { foldersOf, isWorkspaceFile } from '../../shared/files/workspaceFolders.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { useFolderPicker, type FolderQuestion } from '../platform/files/folderPicker.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, Icon, IconButton, Spinner, TextField } from '../ui/index.ts'

/**
 * Lists the parent of the open or most recent folder, where the user's next folder probably is, or else the home
 * folder.
 * @param files which files to list, too
 */
export async function startListing(files?: FolderQuestion['file']): Promise<FolderListing> {
  const { workspace = null, recents = [] } = useApp.getState().state ?? {}
  const last = workspace ? (workspace.multiRoot?.file ?? foldersOf(workspace)[0]?.path) : recents[0]
  const parent = last?.slice(0, last.lastIndexOf('/'))
  const wanted = files ? { files } : {}
  if (parent) {
    try {
      return await request('folders.list', { path: parent, ...wanted })
    } catch {
      // The parent may no longer exist. List the home folder.
    }
  }
  return request('folders.list', wanted)
}

const pathLabels = { all: 'Path of the file', workspaces: 'Path of the workspace file', folder: 'Folder path' }

/** Whether a path can be that of a wanted file, as far as the listing shows. */
function isFile(path: string, wanted: 'workspaces' | 'all', listing: FolderListing | null): boolean {
  if (wanted === 'workspaces') return isWorkspaceFile(path)
  return path !== listing?.path && !listing?.folders.some((folder) => folder.path === path)
}

/**
 * Dialog for a folder or a workspace file on the machine that runs Tizona. Enter opens a subfolder, Backspace the
 * parent.
 */
function FolderPickerDialog({ question, onClose }: { question: FolderQuestion; onClose: () => void }) {
  const [listing, setListing] = useState<FolderListing | null>(null)
  const [typed, setTyped] = useState('')
  const [name, setName] = useState(question.target?.name ?? '')
  const [problem, setProblem] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const wanted = question.file
  const lacksTarget = typed.trim() === '' || (question.target !== undefined && name.trim() === '')

  async function show(path?: string, focusList = false): Promise<void> {
    try {
      const found = await request('folders.list', {
        ...(path !== undefined && { path }),
        ...(wanted && { files: wanted }),
      })
      setListing(found)
      setTyped(found.path)
      setProblem('')
      if (focusList) list.current?.focus()
    } catch (error) {
      setProblem(toFailure(error).message)
    }
  }
  useEffect(() => {
    startListing(wanted)
      .then((found) => {
        // The user may have typed a path or listed another folder in the meantime.
        setListing((shown) => shown ?? found)
        setTyped((path) => (path === '' ? found.path : path))
      })
      .catch((error: unknown) => setProblem(toFailure(error).message))
  }, [wanted])

  function choose(path = typed.trim()): void {
    attempt(async () => {
      try {
        await question.choose(question.target ? `${path.replace(/\/$/, '')}/${name.trim()}` : path)
        onClose()
      } catch (error) {
        setProblem(toFailure(error).message)
      }
    })
  }

  /** Enter in the field shows a folder that is typed, and chooses the shown one or a file. */
  function submit(): void {
    const path = typed.trim()
    if (wanted ? isFile(path, wanted, listing) : path === listing?.path) choose()
    else void show(path)
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
          <Button
            variant="primary"
            onClick={() => choose()}
            disabled={lacksTarget || (wanted !== undefined && !isFile(typed.trim(), wanted, listing))}
          >
            {question.action}
          </Button>
        </>
      }
    >
      <PathField
        path={typed}
        parent={listing?.parent}
        label={pathLabels[wanted ?? 'folder']}
        invalid={problem !== ''}
        onChange={setTyped}
        onSubmit={submit}
        onParent={() => void show(listing?.parent, true)}
      />
      {problem && (
        <p className="picker-problem" role="alert">
          {problem}
        </p>
      )}
      <div ref={list} className="picker-list" tabIndex={-1} onKeyDown={onListKey}>
        <FolderList
          listing={listing}
          empty={emptyText(question)}
          onOpen={(path) => void show(path, true)}
          onChoose={(path) => choose(path)}
        />
      </div>
      {question.target && <NameField name={name} onChange={setName} onSubmit={() => !lacksTarget && choose()} />}
    </Dialog>
  )
}

function emptyText({ action, file, target }: FolderQuestion): string {
  if (file === 'all') return 'No subfolders and no files.'
  if (file) return 'No subfolders and no .code-workspace files.'
  return target ? 'No subfolders.' : `No subfolders. "${action}" chooses the folder shown above.`
}

interface NameFieldProps {
  name: string
  onChange: (name: string) => void
  onSubmit: () => void
}

function NameField({ name, onChange, onSubmit }: NameFieldProps) {
  return (
    <form
      className="picker-name"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <TextField label="File name" value={name} onChange={({ target }) => onChange(target.value)} />
    </form>
  )
}

interface PathFieldProps {
  path: string
  /** Path of the parent folder; undefined at the root. */
  parent: string | undefined
  label: string
  invalid: boolean
  onChange: (path: string) => void
  onSubmit: () => void
  onParent: () => void
}

function PathField({ path, parent, label, invalid, onChange, onSubmit, onParent }: PathFieldProps) {
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
        aria-label={label}
        value={path}
        spellCheck={false}
        data-autofocus
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={invalid || undefined}
      />
    </form>
  )
}

interface FolderListProps {
  listing: FolderListing | null
  empty: string
  /** Lists a folder. */
  onOpen: (path: string) => void
  /** Chooses a file. */
  onChoose: (path: string) => void
}

function FolderList({ listing, empty, onOpen, onChoose }: FolderListProps) {
  if (listing === null) return <Spinner />
  const { folders, files = [] } = listing
  if (folders.length + files.length === 0) return <p className="picker-empty">{empty}</p>
  return (
    <div role="listbox" aria-label="Folders">
      {[
        ...folders.map((each) => ({ ...each, icon: 'folder', act: onOpen })),
        ...files.map((each) => ({ ...each, icon: 'multiple-windows', act: onChoose })),
      ].map(({ path, name, icon, act }) => (
        <button
          key={path}
          type="button"
          role="option"
          aria-selected={false}
          className="ui-list-button picker-folder"
          onClick={() => act(path)}
        >
          <Icon name={icon} />
          {name}
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
