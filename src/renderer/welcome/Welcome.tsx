import { plural, pluralNoun } from '../../shared/plural.ts'
import { isUsable, useEndpoints } from '../platform/endpointsStore.ts'
import { forgetRecent, displayPath, useApp } from '../platform/appState.ts'
import { runCommand, shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, IconButton } from '../ui/index.ts'
import { openRecent } from './openFolder.ts'
import './welcome.css'

/** Line about the model servers that were found. */
function ModelHint() {
  const { endpoints, loadedAt } = useEndpoints()
  const usable = endpoints.filter((status) => isUsable(status) && status.endpoint.kind !== 'tour')
  const models = usable.reduce((sum, { models: list }) => sum + list.length, 0)
  if (loadedAt === null)
    return (
      <p className="welcome-model" data-state="unknown">
        <Icon name="loading" spin /> Looking for model servers on this machine…
      </p>
    )
  if (usable.length > 0) {
    return (
      <p className="welcome-model" data-state="found">
        <Icon name="pass-filled" />
        <span>
          {usable.map(({ endpoint }) => endpoint.name).join(', ')} {pluralNoun(usable.length, 'is', 'are')} ready with{' '}
          {plural(models, 'model')}.
        </span>
        <button type="button" className="welcome-link" onClick={() => runCommand('settings.open')}>
          Model settings
        </button>
      </p>
    )
  }
  return (
    <p className="welcome-model" data-state="none">
      <Icon name="plug" />
      <span>No model server found. Start Ollama, LM Studio, llama.cpp or vLLM, or enter an address.</span>
      <button type="button" className="welcome-link" onClick={() => runCommand('settings.open')}>
        Model settings
      </button>
    </p>
  )
}

/** Page of a window without a folder: open a folder, take the tour, or reopen a recent folder. */
export function Welcome() {
  const recents = useApp((store) => store.state?.recents) ?? []
  const version = useApp((store) => store.state?.version)
  const shortcut = shortcutOf('workspace.open')
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
        <section className="welcome-recents" aria-labelledby="recents-title">
          <h2 id="recents-title">Recent folders</h2>
          {recents.length === 0 ? (
            <p className="welcome-none">Folders you open appear here.</p>
          ) : (
            <ul>
              {recents.slice(0, 8).map((path) => (
                <li key={path}>
                  <button
                    type="button"
                    className="welcome-recent"
                    onClick={() => attempt(() => openRecent(path), 'The folder could not be opened')}
                    title={path}
                  >
                    <Icon name="folder" />
                    <span className="welcome-recent-name">{path.split('/').at(-1) || path}</span>
                    <span className="welcome-recent-path">{displayPath(path)}</span>
                  </button>
                  <IconButton
                    icon="close"
                    label={`Remove ${path} from recent folders`}
                    onClick={() => attempt(() => forgetRecent(path))}
                  />
                </li>
              ))}
            </ul>
          )}
        </section>
        <ModelHint />
        <footer className="welcome-footer">
          <span>Version {version}</span>
          <span>Your data stays on this machine unless you connect remote services.</span>
          <Button variant="ghost" size="small" icon="settings-gear" onClick={() => runCommand('settings.open')}>
            Settings
          </Button>
        </footer>
      </div>
    </main>
  )
}
