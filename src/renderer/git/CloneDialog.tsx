import { foldersOf } from '../../shared/files/workspaceFolders.ts'
import { useState, type FormEvent } from 'react'
import { toFailure, isAbort, type Failure } from '../../shared/errors.ts'
import { currentWorkspace, useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { runCommand } from '../platform/commands.ts'
import { runCancellable, useGit } from '../platform/git/gitStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { Button, Dialog, TextField } from '../ui/index.ts'
import { useClone } from './dialogStores.ts'
import { showGitOutput } from './failures.ts'
import { cancelAction } from './gitActions.ts'

/** Default folder name of a clone: the last part of the URL without `.git`. */
function cloneName(url: string): string {
  return (
    url
      .trim()
      .replace(/\/+$/, '')
      .split(/[/:\\]/)
      .at(-1)
      ?.replace(/\.git$/, '') ?? ''
  )
}

/** Suggested parent folder of a clone: that of the open or most recent folder. */
function initialFolder(): string {
  const { state } = useApp.getState()
  const workspace = currentWorkspace()
  const last = workspace ? foldersOf(workspace)[0]?.path : state?.recents[0]
  const parent = last?.slice(0, last.lastIndexOf('/'))
  return parent || (state?.home ?? '')
}

/** Dialog to clone a repository and open it. */
export function CloneDialog() {
  const open = useClone((state) => state.open)
  return open && <CloneForm onClose={() => useClone.setState({ open: false })} />
}

function CloneForm({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [folder, setFolder] = useState(initialFolder)
  const [name, setName] = useState<string | null>(null)
  const [problem, setProblem] = useState<Failure | null>(null)
  const [operation, setOperation] = useState<string | null>(null)
  const progress = useGit(({ running }) => running.find((action) => action.operation === operation)?.progress)
  const target = name ?? cloneName(url)

  async function clone(): Promise<void> {
    setProblem(null)
    try {
      const { path } = await runCancellable({ label: `Cloning ${target}`, repository: null }, (id) => {
        setOperation(id)
        return request('git.clone', { url: url.trim(), folder: folder.trim(), name: target, operation: id })
      })
      onClose()
      await offerToOpen(path)
    } catch (error) {
      if (isAbort(error)) return
      setProblem(toFailure(error))
    } finally {
      setOperation(null)
    }
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (operation === null) attempt(clone)
  }
  const cancel = () => {
    if (operation !== null) cancelAction(operation)
    onClose()
  }
  const complete = url.trim() !== '' && folder.trim() !== '' && target !== ''
  return (
    <Dialog
      title="Clone repository"
      width={520}
      onClose={cancel}
      footer={
        <>
          <Button onClick={cancel}>Cancel</Button>
          <Button variant="primary" type="submit" form="git-clone" disabled={!complete || operation !== null}>
            {operation === null ? 'Clone' : 'Cloning…'}
          </Button>
        </>
      }
    >
      <form id="git-clone" className="git-clone" onSubmit={submit}>
        <TextField
          label="Repository address"
          placeholder="https://… or user@host:path"
          value={url}
          data-autofocus
          disabled={operation !== null}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label="Create it in"
          value={folder}
          disabled={operation !== null}
          onChange={(event) => setFolder(event.target.value)}
        />
        <TextField
          label="Folder name"
          value={target}
          disabled={operation !== null}
          onChange={(event) => setName(event.target.value)}
        />
        {operation !== null && (
          <div className="git-clone-progress">
            <progress aria-label="Cloning" max={100} value={progress?.percent} />
            <span>{progress?.text ?? 'Connecting…'}</span>
            <span className="visually-hidden" role="status">
              Cloning…
            </span>
          </div>
        )}
        {problem && (
          <div className="git-clone-problem" role="alert">
            <p>
              {problem.message} {problem.next}
            </p>
            {problem.detail && (
              <Button size="small" onClick={() => showGitOutput('Cloning failed', problem)}>
                Show details
              </Button>
            )}
          </div>
        )}
      </form>
    </Dialog>
  )
}

/** Opens the clone. Asks first if a folder is open. */
async function offerToOpen(path: string): Promise<void> {
  if (currentWorkspace() === null) return void runCommand('workspace.openRecent', path)
  const choice = await confirm({
    title: 'Open the cloned repository?',
    message: `It is in ${path}. The open folder will be closed.`,
    choices: [{ id: 'open', label: 'Open', variant: 'primary' }],
  })
  if (choice === null) notify('success', `Cloned to ${path}.`)
  else runCommand('workspace.openRecent', path)
}
