import { log } from '../base/log/log.ts'
import { keptFile } from './fileReview.ts'
import { missing } from './reviewContent.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { ReviewDeps } from './reviewTypes.ts'
import { committedHunks, type Hunk } from './textReview.ts'

/** Stored instead of a commit id while there is none. */
const noCommit = 'none'

/**
 * Who may have committed. `user`: nobody else. `agentRuns`: a call that may commit is running. `agentRan`: it has just
 * ended. Commits by the agent keep nothing, because the user has not reviewed them.
 */
type Committer = 'user' | 'agentRuns' | 'agentRan'

type CommitDeps = Pick<ReviewDeps, 'commits' | 'store' | 'codec'>

/** Keeps committed changes, except those committed by the agent. */
export class CommittedChanges {
  readonly #deps: CommitDeps
  readonly #files: ReviewedFiles
  readonly #onKept: (paths: string[]) => void
  /** Commits that the user made in Tizona, even while a call was running. */
  readonly #own = new Set<string>()
  /** Number of commits in progress that the user makes in Tizona. */
  #committing = 0

  constructor(deps: CommitDeps, files: ReviewedFiles, onKept: (paths: string[]) => void) {
    this.#deps = deps
    this.#files = files
    this.#onKept = onKept
  }

  async keep(committer: Committer): Promise<void> {
    if (this.#committing > 0 && committer !== 'agentRan') return
    try {
      const kept = await keepCommitted(this.#deps, this.#files, committer, this.#own)
      if (kept.length > 0) this.#onKept(kept)
    } catch (error) {
      log.error('A commit could not be compared for review', error)
    }
  }

  /** Reports that the user starts to commit. @returns a function that reports the end, with the commit id */
  begin(): (own: string | undefined) => void {
    this.#committing += 1
    return (own) => {
      this.#committing -= 1
      if (own !== undefined) this.#own.add(own)
    }
  }
}

/**
 * Keeps the hunks contained in new commits, in all repositories of the folder. Only checks files changed by these
 * commits.
 * @param own ids of commits that the user made in Tizona
 * @returns paths of files with kept hunks
 */
async function keepCommitted(
  deps: CommitDeps,
  files: ReviewedFiles,
  committer: Committer,
  own: ReadonlySet<string>,
): Promise<string[]> {
  const { commits } = deps
  if (!commits) return []
  const byRepository = new Map<string, string[]>([['.', []]])
  for (const path of files.paths()) {
    const folder = await commits.repositoryOf(path)
    if (folder !== undefined) byRepository.set(folder, [...(byRepository.get(folder) ?? []), path])
  }
  const kept: string[] = []
  for (const [folder, paths] of byRepository) kept.push(...(await keepIn(deps, files, folder, paths, committer, own)))
  return kept
}

async function keepIn(
  { commits, store, codec }: CommitDeps,
  files: ReviewedFiles,
  folder: string,
  paths: readonly string[],
  committer: Committer,
  own: ReadonlySet<string>,
): Promise<string[]> {
  const key = folder === '.' ? 'head' : `head ${folder}`
  const head = (await commits?.head(folder)) ?? noCommit
  const known = store.state(key)
  if (!commits || head === known) return []
  const byUser = committer === 'user' || own.has(head)
  // Decided when the call ends.
  if (!byUser && committer === 'agentRuns' && typeof known === 'string') return []
  store.setState(key, head)
  if (!byUser || typeof known !== 'string' || head === noCommit || paths.length === 0) return []
  const contents = new Map<string, Buffer | null>()
  for (const path of paths) {
    const { current } = (await files.load(path)) ?? { current: missing }
    if (current.kind === 'missing') contents.set(path, null)
    if (current.kind === 'text' || current.kind === 'binary') contents.set(path, await store.bytesOf(current))
  }
  const kept: string[] = []
  const range = { known: known === noCommit ? undefined : known, head, own: own.has(head), files: contents }
  for (const [path, committed] of await commits.compare(folder, range)) {
    const file = await files.load(path)
    const [pending] = file?.layers ?? []
    if (!file || !pending) continue
    if (committed.kind === 'same') files.put(keptFile(file, pending))
    else if (committed.kind === 'other' && pending.text) {
      const decoded = codec.decode(committed.content, path)
      const hunks = 'text' in decoded ? committedHunks(pending.text, decoded.text) : new Set<Hunk>()
      if (hunks.size === 0) continue
      files.put(keptFile(file, pending, hunks))
    } else continue
    kept.push(path)
  }
  return kept
}
