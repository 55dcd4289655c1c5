import { create } from 'zustand'
import {
  toRepositoryPath,
  type GitAction,
  type GitProgress,
  type GitRepository,
  type GitStatusSummary,
} from '../../../shared/git/git.ts'
import { toFailure, type Failure } from '../../../shared/errors.ts'
import { currentWorkspace, onAppState } from '../appState.ts'
import { on, onConnected, request } from '../bridge/bridge.ts'
import { defineCondition } from '../commands.ts'
import { activePath, useTabs } from '../editor/tabsStore.ts'
import { notifyFailure } from '../notices.ts'
import { noDecorations, treeDecorations, type TreeDecorations } from './decorations.ts'
import { Latest } from '../../../shared/async/latest.ts'

/** An action of the user that is running in main, for example a push. */
export interface RunningAction {
  operation: string
  /** Id of the repository; null for a clone. */
  repository: string | null
  /** Description for the progress display, for example "Pushing". */
  label: string
  progress: GitProgress | null
}

/** An action that ended while no window was waiting for it. */
export interface EndedAction {
  operation: string
  label: string
  failure?: Failure
}

interface GitState {
  /** Null until main has searched the open folder. */
  repositories: readonly GitRepository[] | null
  /** Latest status by id of the repository. */
  statuses: Readonly<Record<string, GitStatusSummary>>
  /** Repository that the view and the status bar act on. */
  selected: string | null
  running: readonly RunningAction[]
  /** Actions whose result this window missed because it was reloaded. The git feature reports them. */
  ended: readonly EndedAction[]
  /** Decorations of files and folders in the explorer. */
  decorations: TreeDecorations
}

const nothing: GitState = {
  repositories: null,
  statuses: {},
  selected: null,
  running: [],
  ended: [],
  decorations: noDecorations,
}

/** The open folder's repositories, as last reported by main. */
export const useGit = create<GitState>(() => nothing)

/** Returns the selected repository's status; null if none is selected or the status is not loaded yet. */
export function selectedStatus({ selected, statuses }: GitState = useGit.getState()): GitStatusSummary | null {
  return selected === null ? null : (statuses[selected] ?? null)
}

/** Number of changed files in all repositories. */
export function changeCount({ statuses }: GitState): number {
  return Object.values(statuses).reduce(
    (sum, { counts }) => sum + counts.merge + counts.staged + counts.changes + counts.untracked,
    0,
  )
}

/** Stores a status that main returned or sent. */
export function storeStatus(status: GitStatusSummary): void {
  useGit.setState((state) => {
    const { id } = status.repository
    if (!state.repositories?.some((repository) => repository.id === id)) return state
    const statuses = { ...state.statuses, [id]: status }
    return { statuses, decorations: treeDecorations(Object.values(statuses)) }
  })
}

export function selectRepository(id: string): void {
  useGit.setState({ selected: id })
}

/** Finds a file's innermost repository. @param path relative to the workspace */
export function repositoryOf(path: string): { repository: GitRepository; path: string } | null {
  let found: { repository: GitRepository; path: string } | null = null
  for (const repository of useGit.getState().repositories ?? []) {
    if (repository.kind === 'bare') continue
    const inRepository = toRepositoryPath(repository, path)
    // In a deeper repository, the path is shorter.
    if (inRepository !== null && (found === null || inRepository.length < found.path.length))
      found = { repository, path: inRepository }
  }
  return found
}

const loads = new Latest()

async function loadStatus(id: string): Promise<void> {
  storeStatus(await request('git.status', { repository: id }))
}

/**
 * Loads the open folder's repositories and their status. Keeps the selection.
 * @param again searches the folder again
 */
export async function loadRepositories(again = false): Promise<void> {
  const isLatest = loads.begin()
  if (!currentWorkspace()) return useGit.setState({ ...nothing, running: useGit.getState().running })
  const repositories = await request('git.repositories', { again })
  if (!isLatest()) return
  useGit.setState((state) => {
    const known = new Set(repositories.map(({ id }) => id))
    const statuses = Object.fromEntries(Object.entries(state.statuses).filter(([id]) => known.has(id)))
    const first = repositories.find(({ kind }) => kind !== 'bare') ?? repositories[0]
    return {
      repositories,
      statuses,
      selected: state.selected !== null && known.has(state.selected) ? state.selected : (first?.id ?? null),
      decorations: treeDecorations(Object.values(statuses)),
    }
  })
  await Promise.all(
    repositories
      .filter(({ kind }) => kind !== 'bare')
      .map(({ id }) =>
        loadStatus(id).catch((error: unknown) => {
          // The repository was deleted in the meantime. The next list will not contain it.
          if (toFailure(error).code !== 'not_found')
            notifyFailure(error, 'The status of the repository could not be loaded')
        }),
      ),
  )
}

/** Actions that this window waits for. */
const own = new Set<string>()

/** Milliseconds after which a usually quick action is shown as running. */
const quickMs = 400

/**
 * Runs an action that `git.cancel` can stop, and shows it while it runs.
 * @param about.quick show it only if it takes long, for example because of a hook
 */
export async function runCancellable<T>(
  { label, repository, quick = false }: { label: string; repository: string | null; quick?: boolean },
  action: (operation: string) => Promise<T>,
): Promise<T> {
  const operation = crypto.randomUUID()
  const show = () =>
    useGit.setState(({ running }) => ({ running: [...running, { operation, repository, label, progress: null }] }))
  own.add(operation)
  const timer = quick ? setTimeout(show, quickMs) : undefined
  if (!quick) show()
  try {
    return await action(operation)
  } finally {
    clearTimeout(timer)
    own.delete(operation)
    remove(operation)
  }
}

/** Labels of actions that were started by another window, or by this one before a reload. */
const actionLabels: Record<GitAction, string> = {
  'git.stage': 'Staging',
  'git.unstage': 'Unstaging',
  'git.commit': 'Committing',
  'git.draftMessage': 'Drafting a message',
  'git.discard': 'Discarding',
  'git.undoDiscard': 'Restoring',
  'git.applyLines': 'Changing lines',
  'git.resolve': 'Resolving',
  'git.unresolve': 'Restoring the conflict',
  'git.operation': 'Continuing',
  'git.createBranch': 'Creating branch',
  'git.switch': 'Switching branch',
  'git.deleteBranch': 'Deleting branch',
  'git.renameBranch': 'Renaming branch',
  'git.merge': 'Merging',
  'git.applyCommit': 'Applying commit',
  'git.createTag': 'Creating the tag',
  'git.deleteTag': 'Deleting the tag',
  'git.stash': 'Stashing',
  'git.applyStash': 'Applying stash',
  'git.dropStash': 'Dropping the stash',
  'git.restoreStash': 'Restoring the stash',
  'git.fetch': 'Fetching',
  'git.pull': 'Pulling',
  'git.push': 'Pushing',
  'git.sync': 'Syncing',
  'git.clone': 'Cloning',
}

const remove = (operation: string): void =>
  useGit.setState(({ running }) => ({ running: running.filter((each) => each.operation !== operation) }))

/**
 * Shows the actions that main is still running, so that they can be cancelled after a reload, and those that have ended.
 */
async function loadRunning(): Promise<void> {
  const ended = new Set<string>()
  const stop = on('git.actionEnded', ({ operation }) => ended.add(operation))
  try {
    const listed = await request('git.running', {})
    useGit.setState(({ running }) => {
      for (const { operation } of running) ended.add(operation)
      const others = listed.filter((each) => each.ended === undefined && !ended.has(each.operation))
      return {
        ended: listed.flatMap(({ operation, action, ended: end }): EndedAction[] =>
          end === undefined ? [] : [{ operation, label: actionLabels[action], ...end }],
        ),
        running: [
          ...others.map(({ action, ...each }): RunningAction => ({
            ...each,
            label: actionLabels[action],
            progress: null,
          })),
          ...running,
        ],
      }
    })
  } finally {
    stop()
  }
}

/** Runs a usually quick action that changes a repository. Stores the status after it. */
export async function changeRepository<T extends GitStatusSummary | { status: GitStatusSummary }>(
  repository: string,
  label: string,
  action: (operation: string) => Promise<T>,
): Promise<T> {
  const running = runCancellable({ label, repository, quick: true }, action)
  const before = changing.get(repository)
  const settled = Promise.allSettled([before, running])
  changing.set(repository, settled)
  try {
    const result = await running
    storeStatus('status' in result ? result.status : result)
    return result
  } finally {
    void settled.then(() => {
      if (changing.get(repository) === settled) changing.delete(repository)
    })
  }
}

/** Running `changeRepository` actions, by repository. */
const changing = new Map<string, Promise<unknown>>()

/** Returns the status after all running changes, for example after a file was staged. */
export async function settledStatus(status: GitStatusSummary): Promise<GitStatusSummary> {
  const { id } = status.repository
  if (!changing.has(id)) return status
  await changing.get(id)
  return useGit.getState().statuses[id] ?? status
}

/** Keeps the open folder's repositories current. @returns a function that stops it */
export function followGit(): () => void {
  const reload = () => {
    loadRepositories().catch((error: unknown) => notifyFailure(error, 'The repositories could not be loaded'))
  }
  const showRunning = () => {
    loadRunning().catch((error: unknown) => notifyFailure(error, 'The running git actions could not be loaded'))
  }
  showRunning()
  let root: string | null = null
  defineCondition('repository', () => useGit.getState().selected !== null, useGit.subscribe)
  const stops = [
    onAppState(({ workspace }) => {
      const next = workspace?.root ?? null
      if (next !== root) useGit.setState({ ...nothing, running: useGit.getState().running })
      root = next
      reload()
    }),
    onConnected(() => {
      useGit.setState({ running: [] })
      showRunning()
    }),
    on('git.actionEnded', ({ operation }) => {
      const known = own.has(operation)
      remove(operation)
      // The list contains its result.
      if (!known) showRunning()
    }),
    on('git.changed', ({ status }) => storeStatus(status)),
    on('git.repositoriesChanged', reload),
    // In a workspace of several folders, as in VS Code.
    useTabs.subscribe((tabs, before) => {
      const path = activePath(tabs)
      if (path === null || path === activePath(before) || !currentWorkspace()?.multiRoot) return
      const found = repositoryOf(path)
      if (found) selectRepository(found.repository.id)
    }),
    on('git.progress', (progress) =>
      useGit.setState(({ running }) => ({
        running: running.map((each) => (each.operation === progress.operation ? { ...each, progress } : each)),
      })),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}
