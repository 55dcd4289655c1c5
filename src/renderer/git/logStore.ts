import { create } from 'zustand'
import { isAbort, toFailure } from '../../shared/errors.ts'
import type { GitCommitDetails, GitCommitEntry, GitCommitFile, GitRepository } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { notifyGitFailure } from './failures.ts'
import { graphRows, type GraphRow, type Lanes } from './logGraph.ts'
import { Latest } from '../../shared/async/latest.ts'

export interface LogFilter {
  /** Text in messages, or the start of a hash. */
  text: string
  author: string
  /** Path in the repository. */
  path: string
  /** Branch or tag; null for HEAD. */
  ref: string | null
  /** Whether to show the commits of all branches and tags. */
  all: boolean
}

const noFilter: LogFilter = { text: '', author: '', path: '', ref: null, all: true }

interface LogState {
  repository: GitRepository | null
  /** File whose history is shown, also under earlier names; null for the log. */
  file: string | null
  filter: LogFilter
  state: 'idle' | 'loading' | 'ready' | 'failed'
  problem: string
  commits: readonly GitCommitEntry[]
  /** Rows of the graph; empty while a filter excludes commits. */
  graph: readonly GraphRow[]
  lanes: Lanes
  more: boolean
  /** Hashes of the chosen commits: one, or two to compare, in the order of choosing. */
  chosen: readonly string[]
  details: GitCommitDetails | null
  /** Files that differ between two chosen commits. */
  comparison: { from: string; to: string; files: readonly GitCommitFile[]; truncated: boolean } | null
}

const empty: LogState = {
  repository: null,
  file: null,
  filter: noFilter,
  state: 'idle',
  problem: '',
  commits: [],
  graph: [],
  lanes: [],
  more: false,
  chosen: [],
  details: null,
  comparison: null,
}

export const useLog = create<LogState>(() => empty)

const pageSize = 200
const loads = new Latest()

/** Whether the shown commits are connected, so that a graph makes sense. */
const isConnected = ({ filter, file }: Pick<LogState, 'filter' | 'file'>): boolean =>
  file === null && filter.text === '' && filter.author === '' && filter.path === ''

/** Loads the first commits, or those after the shown ones. */
export async function loadCommits(next = false): Promise<void> {
  const { repository, file, filter, commits, state } = useLog.getState()
  if (!repository || (next && state !== 'ready')) return
  const isLatest = loads.begin()
  useLog.setState({ state: 'loading', problem: '' })
  const skip = next ? commits.length : 0
  const text = filter.text.trim()
  const author = filter.author.trim()
  const path = filter.path.trim()
  try {
    const page =
      file === null
        ? await request('git.log', {
            repository: repository.id,
            all: filter.all && filter.ref === null,
            ...(filter.ref === null ? {} : { ref: filter.ref }),
            ...(text === '' ? {} : { text }),
            ...(author === '' ? {} : { author }),
            ...(path === '' ? {} : { path }),
            skip,
            limit: pageSize,
          })
        : await request('git.fileHistory', { repository: repository.id, path: file, skip, limit: pageSize })
    if (!isLatest()) return
    useLog.setState((before) => {
      const drawn = graphRows(isConnected(before) ? page.commits : [], next ? before.lanes : [])
      return {
        state: 'ready',
        commits: next ? [...before.commits, ...page.commits] : page.commits,
        graph: next ? [...before.graph, ...drawn.rows] : drawn.rows,
        lanes: drawn.lanes,
        more: page.more,
      }
    })
  } catch (error) {
    if (!isLatest() || isAbort(error)) return
    const { message, next: hint } = toFailure(error)
    useLog.setState({ state: 'failed', problem: hint ? `${message} ${hint}` : message })
  }
}

function open(repository: GitRepository, change: Partial<LogState>): void {
  useLog.setState({ ...empty, repository, ...change }, true)
  openPage('gitLog')
  void loadCommits()
}

/** Shows the log of a repository. */
export function showLog(repository: GitRepository): void {
  open(repository, {})
}

/** Shows the commits that changed a file. @param path in the repository */
export function showFileHistory(repository: GitRepository, path: string): void {
  open(repository, { file: path })
}

/** Shows the selected repository's log if the page is restored without a repository. */
export function restoreLog(): void {
  const { selected, repositories } = useGit.getState()
  const repository = repositories?.find(({ id }) => id === selected)
  if (useLog.getState().repository === null && repository) {
    useLog.setState({ repository })
    void loadCommits()
  }
}

export function changeFilter(change: Partial<LogFilter>): void {
  useLog.setState(({ filter }) => ({ filter: { ...filter, ...change }, chosen: [], details: null, comparison: null }))
  void loadCommits()
}

const choices = new Latest()

/** Chooses a commit and loads its files; with `add`, a second one to compare with. */
export function chooseCommit(hash: string, { add = false } = {}): void {
  const { chosen, repository } = useLog.getState()
  if (!repository) return
  const [first] = chosen
  const next = add && first !== undefined && first !== hash ? [first, hash] : [hash]
  useLog.setState({ chosen: next, details: null, comparison: null })
  const isLatest = choices.begin()
  const load = async () => {
    const [from, to] = next
    if (from !== undefined && to !== undefined) return showComparison(olderFirst(from, to), isLatest)
    const details = await request('git.commitDetails', { repository: repository.id, commit: hash })
    if (isLatest()) useLog.setState({ details })
  }
  load().catch((error: unknown) => notifyGitFailure(error, 'The commit could not be loaded'))
}

/** Shows which files differ between two commits of the shown repository. @param from, to hashes */
export async function compareCommits(from: string, to: string): Promise<void> {
  useLog.setState({ chosen: [from, to], details: null, comparison: null })
  await showComparison({ from, to }, choices.begin())
}

async function showComparison(commits: { from: string; to: string }, isLatest: () => boolean): Promise<void> {
  const { repository } = useLog.getState()
  if (!repository) return
  const compared = await request('git.compare', { repository: repository.id, ...commits })
  if (isLatest()) useLog.setState({ comparison: { ...commits, ...compared } })
}

/** Orders two commits by their position in the list, which starts with the latest. */
function olderFirst(one: string, other: string): { from: string; to: string } {
  const { commits } = useLog.getState()
  const place = (hash: string) => commits.findIndex((commit) => commit.hash === hash)
  return place(one) > place(other) ? { from: one, to: other } : { from: other, to: one }
}

/** Reloads the log after HEAD or a branch has changed. @returns a function that stops it */
export function followLog(): () => void {
  return useGit.subscribe(({ statuses }, before) => {
    const { repository, state } = useLog.getState()
    if (!repository || state === 'idle' || state === 'loading') return
    const [now, then] = [statuses[repository.id], before.statuses[repository.id]]
    const moved = now?.head !== then?.head || now?.branch !== then?.branch
    if (now && then && moved) void loadCommits()
  })
}
