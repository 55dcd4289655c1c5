import type { KeyboardEvent } from 'react'
import type { GitRepository, GitStatusSummary } from '../../shared/git/git.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { chooseFolder } from '../platform/quickPick/chooseFolder.ts'
import { runCommand, commands, isEnabled, shortcutOf, type CommandId } from '../platform/commands.ts'
import {
  loadRepositories,
  selectedStatus,
  selectRepository,
  useGit,
  type RunningAction,
} from '../platform/git/gitStore.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import {
  Button,
  EmptyState,
  Icon,
  IconButton,
  MenuButton,
  Spinner,
  type MenuGroup,
  type MenuItem,
} from '../ui/index.ts'
import { ChangesList } from './ChangesList.tsx'
import { CommitBox } from './CommitBox.tsx'
import { attemptGit } from './failures.ts'
import { cancelAction } from './gitActions.ts'
import { operationTexts, stepOperation } from './remoteActions.ts'
import './git.css'

/** The source control view: repositories, commit message, and changed files in groups. */
export function GitView() {
  const repositories = useGit((state) => state.repositories)
  const status = useGit(selectedStatus)
  const running = useGit((state) => state.running)
  const tree = useLayout(({ git }) => git.tree)
  return (
    <div className="git">
      <header className="sidebar-header">
        <h2 className="sidebar-title">Source control</h2>
        {status && (
          <>
            <IconButton
              icon={tree ? 'list-flat' : 'list-tree'}
              label={tree ? 'View as list' : 'View as tree'}
              onClick={() => useLayout.setState(({ git }) => ({ git: { ...git, tree: !tree } }))}
            />
            <IconButton icon="git-commit" label="Show log" onClick={() => runCommand('git.showLog')} />
            <MenuButton icon="ellipsis" label="More actions" align="end" groups={() => gitMenu(status)} />
          </>
        )}
      </header>
      {repositories === null ? (
        <div className="git-loading">
          <Spinner label="Searching for repositories" />
        </div>
      ) : repositories.length === 0 ? (
        <NoRepository />
      ) : (
        <>
          {repositories.length > 1 && <Repositories repositories={repositories} />}
          {running.map((action) => (
            <Progress key={action.operation} action={action} />
          ))}
          {status ? (
            <RepositoryView key={status.repository.id} status={status} />
          ) : (
            <div className="git-loading">
              <Spinner label="Loading the status" />
            </div>
          )}
        </>
      )}
    </div>
  )
}

async function initialize(): Promise<void> {
  const folder = await chooseFolder('Select the folder to initialize as a repository')
  if (folder === null) return
  await request('git.initialize', { folder })
  await loadRepositories()
}

function NoRepository() {
  return (
    <EmptyState
      icon="source-control"
      title="No repository in this folder"
      actions={
        <>
          <Button
            icon="repo"
            variant="primary"
            onClick={() => attemptGit(initialize, 'The repository could not be created')}
          >
            Initialize repository
          </Button>
          <Button icon="repo-clone" onClick={() => runCommand('git.clone')}>
            Clone repository…
          </Button>
        </>
      }
    >
      Initialize a repository in this folder, or clone one. Tizona finds repositories up to three folders deep.
    </EmptyState>
  )
}

const repositoryIcons: Record<GitRepository['kind'], string> = {
  repository: 'repo',
  worktree: 'worktree',
  submodule: 'file-submodule',
  bare: 'database',
}

/** Lists the folder's repositories. The view shows the chosen one. */
function Repositories({ repositories }: { repositories: readonly GitRepository[] }) {
  const { selected, statuses } = useGit()
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const radios = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=radio]:not(:disabled)')]
    const next =
      radios[(radios.findIndex((radio) => radio === document.activeElement) + step + radios.length) % radios.length]
    next?.focus()
    next?.click()
    event.preventDefault()
  }
  return (
    <div className="git-repositories" role="radiogroup" aria-label="Repositories" onKeyDown={onKeyDown}>
      {repositories.map((repository) => {
        const status = statuses[repository.id]
        const changes = status ? Object.values(status.counts).reduce((sum, count) => sum + count, 0) : 0
        const bare = repository.kind === 'bare'
        return (
          <button
            key={repository.id}
            type="button"
            role="radio"
            aria-checked={repository.id === selected}
            tabIndex={repository.id === selected ? 0 : -1}
            className="git-repository"
            title={bare ? `${repository.folder} is a bare repository, which has no files` : repository.folder}
            disabled={bare}
            onClick={() => selectRepository(repository.id)}
          >
            <Icon name={repositoryIcons[repository.kind]} />
            <span className="git-name">{repository.name}</span>
            <span className="git-folder">{status ? branchLabel(status) : bare ? 'bare' : ''}</span>
            {changes > 0 && (
              <span className="ui-badge">
                {changes} <span className="visually-hidden">changed</span>
              </span>
            )}
          </button>
        )
      })}
    </div>
  )
}

/** Name of the branch, or the abbreviated commit of a detached HEAD. */
function branchLabel({ branch, head }: Pick<GitStatusSummary, 'branch' | 'head'>): string {
  return branch ?? head?.slice(0, 8) ?? 'no commits'
}

function RepositoryView({ status }: { status: GitStatusSummary }) {
  const total = Object.values(status.counts).reduce((sum, count) => sum + count, 0)
  return (
    <>
      {status.operation && <OperationBanner status={status} />}
      <CommitBox status={status} />
      {!status.repository.trusted && (
        <p className="git-note">
          <Icon name="shield" /> Restricted folder: hooks and signing are off, and remotes cannot be used.
        </p>
      )}
      {total === 0 ? <p className="git-clean">There are no changes.</p> : <ChangesList status={status} />}
    </>
  )
}

/** Shows an unfinished merge, rebase or similar operation, with buttons to continue and abort. */
function OperationBanner({ status }: { status: GitStatusSummary }) {
  const { operation, counts } = status
  if (!operation) return null
  const texts = operationTexts[operation.kind]
  const step = (which: 'continue' | 'abort' | 'skip') =>
    attemptGit(() => stepOperation(status, which, texts), texts.failed)
  const conflicts = counts.merge > 0
  return (
    <div className="git-banner" role="status">
      <div className="git-banner-name" title={operation.subject}>
        <Icon name="git-merge" /> <b>{texts.inProgress}</b>
        {operation.steps !== undefined && ` (${operation.step} of ${operation.steps})`}
        {operation.subject !== undefined && `: ${operation.subject}`}
      </div>
      <div>
        {conflicts
          ? `Resolve the conflicts in ${plural(counts.merge, 'file')}.`
          : operation.kind === 'bisect'
            ? 'Mark commits as good or bad in a terminal.'
            : 'All conflicts are resolved.'}
      </div>
      <div className="git-banner-actions">
        {operation.kind !== 'bisect' && (
          <Button size="small" variant="primary" disabled={conflicts} onClick={() => step('continue')}>
            Continue
          </Button>
        )}
        {operation.kind === 'rebase' && (
          <Button size="small" onClick={() => step('skip')}>
            Skip commit
          </Button>
        )}
        <Button size="small" onClick={() => step('abort')}>
          Abort…
        </Button>
      </div>
    </div>
  )
}

/** A running action with its progress and a button to cancel it. */
function Progress({ action }: { action: RunningAction }) {
  const { progress } = action
  const text = progress ? `${action.label}: ${progress.text}` : `${action.label}…`
  return (
    <div className="git-progress">
      {/* Not a live region: the status bar announces the action, and its progress changes often. */}
      <div className="git-progress-text">
        <Spinner label={action.label} />
        <span className="git-row-grow" title={text}>
          {text}
        </span>
        <Button size="small" variant="ghost" onClick={() => cancelAction(action.operation)}>
          Cancel
        </Button>
      </div>
      {progress?.percent !== undefined && <progress aria-label={action.label} max={100} value={progress.percent} />}
    </div>
  )
}

function item(id: CommandId, label?: string, icon?: string): MenuItem {
  const row = commands.find((each) => each.id === id)
  return {
    id,
    label: label ?? row?.title ?? id,
    icon,
    shortcut: shortcutOf(id),
    disabled: !row || !isEnabled(row),
    run: () => void runCommand(id),
  }
}

function gitMenu(status: GitStatusSummary): MenuGroup[] {
  const upstream = status.upstream
  return [
    {
      items: [
        item('git.pull', undefined, 'repo-pull'),
        item('git.push', upstream ? 'Push' : 'Publish branch', 'repo-push'),
        item('git.fetch', undefined, 'repo-fetch'),
        item('git.sync', undefined, 'sync'),
        ...(upstream ? [item('git.forcePush')] : []),
        item('git.pushTags'),
      ],
    },
    {
      items: [
        item('git.switchBranch', undefined, 'git-branch'),
        item('git.createBranch'),
        item('git.mergeBranch', undefined, 'git-merge'),
        item('git.compareBranch', undefined, 'diff'),
        item('git.renameBranch'),
        item('git.deleteBranch'),
      ],
    },
    {
      items: [item('git.stash', undefined, 'archive'), item('git.stashes', `Stashes… (${status.stashes})`)],
    },
    { items: [item('git.createTag', undefined, 'tag'), item('git.deleteTag')] },
    {
      items: [
        item('git.showLog', undefined, 'git-commit'),
        item('git.refresh', 'Refresh', 'refresh'),
        item('git.stageAll'),
        item('git.unstageAll'),
        item('git.discardAll'),
        item('git.clone'),
      ],
    },
  ]
}
