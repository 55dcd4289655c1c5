import { watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { FileChange } from '../../../shared/files/files.ts'
import { toRepositoryPath, type GitRepository, type GitStatusSummary } from '../../../shared/git/git.ts'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { pathExists } from '../../base/smallFile.ts'
import { findRepositories, type FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { describeRepository, readStatus } from './readStatus.ts'
import { createStatusRefresh, type StatusRefresh } from './statusRefresh.ts'
import { Delayer } from '../../../shared/async/delayer.ts'

/** A repository in use. */
export interface UsedRepository {
  readonly found: FoundRepository
  readonly status: StatusRefresh
  /** Runs changes to the index, files and branches one at a time. */
  readonly changes: Sequencer
  /** Runs transfers that change no files one at a time, so that staging does not wait for them. */
  readonly transfers: Sequencer
}

export interface Repositories {
  /** @param again repeats the search */
  list(again: boolean): Promise<GitRepository[]>
  /** @throws ToolError `not_found` */
  get(id: string): Promise<UsedRepository>
  /** Runs a change after earlier ones. @returns the status after it, even if it partly failed */
  change<T>(
    id: string,
    act: (repository: UsedRepository) => Promise<T>,
  ): Promise<{ result: T; status: GitStatusSummary }>
  /** Refreshes what depends on changed files. */
  filesChanged(changes: readonly FileChange[], overflow: boolean): void
  /** Applies a new trust decision. */
  trustChanged(): void
  close(): Promise<void>
}

export interface RepositoriesDeps {
  workspace: WorkspaceRoots
  access: GitAccess
  /** Whether to look for a repository that contains the workspace. */
  lookAbove(): boolean
  onRepositories(repositories: GitRepository[]): void
  onStatus(status: GitStatusSummary): void
  onProblem(error: unknown): void
}

/** Milliseconds between the creation of a `.git` folder and the search for repositories. */
const searchDelay = 300

interface Entry extends UsedRepository {
  /** Watches the git folder. Restarts if it is already watched. */
  watch(): void
  stopWatching(): void
}

/** Manages the repositories of the open folder. Nothing runs before the window needs them. */
export function createRepositories(deps: RepositoriesDeps): Repositories {
  const { workspace, access } = deps
  const closed = new AbortController()
  const used = new Map<string, Entry>()
  let search: Promise<Map<string, Entry>> | undefined

  const entryDeps: EntryDeps = { ...deps, onGone: () => searchSoon.start() }

  async function find(): Promise<Map<string, Entry>> {
    const found = await findRepositories(workspace, deps.lookAbove(), closed.signal)
    closed.signal.throwIfAborted()
    const ids = new Set(found.map(({ id }) => id))
    for (const [id, entry] of used) {
      if (ids.has(id)) continue
      used.delete(id)
      entry.stopWatching()
      void entry.status.close()
    }
    for (const repository of found) {
      const known = used.get(repository.id)
      // The git folder may have been recreated, or have new folders.
      if (known && isSameRepository(known.found, repository)) known.watch()
      else {
        known?.stopWatching()
        used.set(
          repository.id,
          openEntry(repository, entryDeps, () => used.get(repository.parent ?? '')?.status.soon()),
        )
      }
    }
    return used
  }

  const described = (entries: Map<string, Entry>) =>
    [...entries.values()].map(({ found }) => describeRepository(found, access))

  /** Searches again and reports a change. */
  function searchAgain(): Promise<Map<string, Entry>> {
    const before = JSON.stringify(described(used))
    const current = find().then((entries) => {
      const now = described(entries)
      if (JSON.stringify(now) !== before) deps.onRepositories(now)
      return entries
    })
    search = current
    return current
  }

  /** Delayed, because a new repository is not complete yet. */
  const searchSoon = new Delayer(
    () =>
      searchAgain().catch((error: unknown) => {
        if (!closed.signal.aborted) deps.onProblem(error)
      }),
    searchDelay,
  )

  const entries = () => (search ??= find())

  async function get(id: string): Promise<Entry> {
    const entry = (await entries()).get(id)
    if (!entry) throw goneError(id)
    return entry
  }

  return {
    list: async (again) => described(await (again ? searchAgain() : entries())),
    get,
    async change(id, act) {
      const entry = await get(id)
      return entry.changes.queue(async () => {
        let result
        try {
          result = await act(entry)
        } catch (error) {
          // A failed action may have changed something, e.g. a merge with conflicts.
          entry.status.soon()
          throw error
        }
        return { result, status: await entry.status.now() }
      })
    },
    filesChanged(changes, overflow) {
      // There is nothing to refresh before the window has requested repositories.
      if (!search) return
      if (overflow || changes.some(isRepositoryChange)) searchSoon.start()
      for (const { found, status } of used.values()) {
        if (overflow || changes.some((change) => isIn(found, change))) status.soon()
      }
    },
    trustChanged() {
      if (!search) return
      searchAgain().then((all) => {
        for (const { status } of all.values()) status.soon()
      }, deps.onProblem)
    },
    async close() {
      closed.abort()
      searchSoon.cancel()
      await search?.catch(() => undefined)
      for (const entry of used.values()) entry.stopWatching()
      await Promise.all([...used.values()].map(({ status }) => status.close()))
    },
  }
}

interface EntryDeps extends Pick<RepositoriesDeps, 'access' | 'onStatus' | 'onProblem'> {
  /** Called when the repository no longer exists. */
  onGone(): void
}

/**
 * Reads the status. @throws ToolError `not_found` if the repository no longer exists, e.g. because the user deleted
 * `.git`
 */
async function readExisting(
  { access, onGone }: EntryDeps,
  found: FoundRepository,
  signal: AbortSignal,
): Promise<GitStatusSummary> {
  try {
    return await readStatus(access, found, signal)
  } catch (error) {
    if (signal.aborted || (await pathExists(path.join(found.gitDir, 'HEAD')))) throw error
    onGone()
    throw goneError(found.id)
  }
}

/** @param refreshParent called when another commit is checked out, which a submodule's parent repository records */
function openEntry(found: FoundRepository, deps: EntryDeps, refreshParent: () => void): Entry {
  let head: string | null | undefined
  const status = createStatusRefresh({
    read: (signal) => readExisting(deps, found, signal),
    onChanged(now) {
      if (head !== undefined && head !== now.head) refreshParent()
      head = now.head
      deps.onStatus(now)
    },
    onProblem(error) {
      // The list of repositories tells the window that one no longer exists.
      if (!(error instanceof ToolError && error.code === 'not_found')) deps.onProblem(error)
    },
  })
  let stop = watchGitFolder(found, status.soon)
  return {
    found,
    status,
    changes: new Sequencer(),
    transfers: new Sequencer(),
    watch() {
      stop()
      stop = watchGitFolder(found, status.soon)
      // Changes before this watch were missed.
      status.soon()
    },
    stopWatching: () => stop(),
  }
}

function goneError(id: string): ToolError {
  return new ToolError('not_found', `There is no longer a repository in "${id}".`, 'Refresh the list of repositories.')
}

function isSameRepository(one: FoundRepository, other: FoundRepository): boolean {
  return (
    one.gitDir === other.gitDir &&
    one.commonDir === other.commonDir &&
    one.kind === other.kind &&
    one.parent === other.parent &&
    placesOf(one) === placesOf(other)
  )
}

const placesOf = ({ folder, prefix, others }: FoundRepository): string => JSON.stringify([folder, prefix, others])

/** Whether a change can create or remove a repository. */
function isRepositoryChange({ path: place, change }: FileChange): boolean {
  return change !== 'changed' && (path.posix.basename(place) === '.git' || path.posix.basename(place) === '.gitmodules')
}

function isIn(found: FoundRepository, { path: place }: FileChange): boolean {
  return toRepositoryPath(found, place) !== null
}

/** Names in a git folder that change often without affecting the status. */
const noise = /(?:\.lock|~)$|^(?:objects|hooks|info|lfs|COMMIT_EDITMSG|gc\.log|fsmonitor--daemon.*|tizona.*)$/

/**
 * Watches the git files that the status depends on: HEAD, the index, branches, stashes and unfinished operations.
 * Watches folders, because git replaces these files by renaming. @returns a function that stops watching
 */
function watchGitFolder(
  { gitDir, commonDir }: Pick<FoundRepository, 'gitDir' | 'commonDir'>,
  onChange: () => void,
): () => void {
  const folders = new Set([
    gitDir,
    commonDir,
    path.join(gitDir, 'logs'),
    path.join(commonDir, 'refs'),
    path.join(commonDir, 'refs', 'heads'),
    path.join(commonDir, 'refs', 'remotes', 'origin'),
  ])
  const watchers: FSWatcher[] = []
  for (const folder of folders) {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || !noise.test(name)) onChange()
      })
      // Without a watch, file changes and actions still refresh the status.
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    } catch {
      // The folder does not exist yet, e.g. `logs` before the first commit, or there are too many watches.
    }
  }
  return () => {
    for (const watcher of watchers) watcher.close()
  }
}
