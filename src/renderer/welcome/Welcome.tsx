import { useEffect, useState } from 'react'
import { isWorkspaceFile, nameOfPlace, untitledWorkspace } from '../../shared/files/workspaceFolders.ts'
import { forgetRecent, displayPath, useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand, shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { Button, Icon, IconButton, Spinner } from '../ui/index.ts'
import { hideFirstSteps, useFirstSteps } from './firstSteps/firstStepsStore.ts'
import { openRecent } from './openFolder.ts'
import './welcome.css'

const LazyFirstSteps = lazyView(
  async () => (await import('./firstSteps/FirstSteps.tsx')).FirstSteps,
  <Spinner label="Loading" />,
)

/** Returns the names of the folders of unsaved workspaces, by path. */
function useUntitled(paths: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const [untitled, setUntitled] = useState<Readonly<Record<string, readonly string[]>>>({})
  useEffect(() => {
    let current = true
    attempt(async () => {
      const found = await request('workspace.untitledRecents', {})
      if (current) setUntitled(found)
    })
    return () => {
      current = false
    }
  }, [paths])
  return untitled
}

function Recents({ paths }: { paths: readonly string[] }) {
  const untitled = useUntitled(paths)
  return (
    <section className="welcome-recents" aria-labelledby="recents-title">
      <h2 id="recents-title">Recent folders</h2>
      {paths.length === 0 ? (
        <p className="welcome-none">Folders you open appear here.</p>
      ) : (
        <ul>
          {paths.slice(0, 8).map((path) => (
            <Recent key={path} path={path} folders={untitled[path]} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Actions() {
  const shortcut = shortcutOf('workspace.open')
  return (
    <div className="welcome-actions">
      <button type="button" className="welcome-card" data-autofocus onClick={() => runCommand('workspace.open')}>
        <Icon name="folder-opened" />
        <span className="welcome-card-title">Open folder</span>
        <span className="welcome-card-text">Edit a project and let the model work in it.</span>
        {shortcut && <kbd className="ui-kbd">{shortcut}</kbd>}
      </button>
      <button type="button" className="welcome-card" onClick={() => runCommand('git.clone')}>
        <Icon name="repo-clone" />
        <span className="welcome-card-title">Clone repository</span>
        <span className="welcome-card-text">Copy a Git repository to this machine and open it.</span>
      </button>
      <button type="button" className="welcome-card" onClick={() => runCommand('tour.start')}>
        <Icon name="compass" />
        <span className="welcome-card-title">Take the tour</span>
        <span className="welcome-card-text">
          A scripted model shows how Tizona works in a temporary folder. Two minutes, no model needed.
        </span>
      </button>
    </div>
  )
}

function Steps() {
  return (
    <section className="welcome-steps" aria-labelledby="first-steps-title">
      <div className="welcome-steps-head">
        <h2 id="first-steps-title" tabIndex={-1}>
          First steps
        </h2>
        <Button
          variant="ghost"
          size="small"
          onClick={() => {
            useFirstSteps.setState({ asked: false })
            hideFirstSteps()
          }}
        >
          Do not show again
        </Button>
      </div>
      <LazyFirstSteps inFolder={false} />
    </section>
  )
}

/** A recent folder or workspace. @param folders names of the folders of an unsaved workspace */
function Recent({ path, folders }: { path: string; folders: readonly string[] | undefined }) {
  const name = folders ? untitledWorkspace : nameOfPlace(path)
  const place = folders?.join(', ') ?? displayPath(path)
  return (
    <li>
      <button
        type="button"
        className="welcome-recent"
        onClick={() => attempt(() => openRecent(path), 'The folder could not be opened')}
        title={folders ? place : path}
      >
        <Icon name={isWorkspaceFile(path) ? 'root-folder' : 'folder'} />
        <span className="welcome-recent-name">{name}</span>
        <span className="welcome-recent-path">{place}</span>
      </button>
      <IconButton
        icon="close"
        label={`Remove ${folders ? `${name}: ${place}` : path} from recent folders`}
        onClick={() => attempt(() => forgetRecent(path))}
      />
    </li>
  )
}

/** Page of a window without a folder: open a folder, take the tour, or reopen a recent folder. */
export function Welcome() {
  const recents = useApp((store) => store.state?.recents) ?? []
  const version = useApp((store) => store.state?.version)
  const showsSteps = useApp((store) => store.state?.settings.firstSteps) === 'show'
  const asked = useFirstSteps((state) => state.asked)
  const isOpening = useApp((store) => store.state?.remote?.opening) !== undefined
  // A bar names the host, whose folder takes the place of this page.
  if (isOpening) return <main className="welcome" data-region="welcome" aria-label="Connecting" />
  return (
    <main className="welcome" data-region="welcome">
      <div className="welcome-inner">
        <header className="welcome-header">
          <img src="./mark.svg" alt="" width={64} height={64} />
          <div>
            <h1>Tizona</h1>
            <p>A code editor whose agent runs on your own model.</p>
          </div>
        </header>
        <Actions />
        {recents.length > 0 && <Recents paths={recents} />}
        {(showsSteps || asked) && <Steps />}
        {recents.length === 0 && <Recents paths={recents} />}
        <footer className="welcome-footer">
          <span>{`Version ${version}`}</span>
          <span>Your data stays on this machine unless you connect remote services.</span>
          <Button variant="ghost" size="small" icon="settings-gear" onClick={() => runCommand('settings.open')}>
            Settings
          </Button>
        </footer>
      </div>
    </main>
  )
}
