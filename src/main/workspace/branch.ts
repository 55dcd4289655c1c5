import { watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { pathExists, readSmallFile } from '../base/smallFile.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'

/**
 * Returns a folder's current branch, read from git's files without starting a process. For a detached HEAD, returns the
 * first seven digits of the commit; outside a repository, undefined.
 * @param folder absolute
 */
export async function readBranch(folder: string): Promise<string | undefined> {
  const headFile = await findHead(folder)
  if (headFile === undefined) return undefined
  const head = (await readSmallFile(headFile))?.trim() ?? ''
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1]
  if (branch !== undefined) return branch
  return /^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : undefined
}

/**
 * Returns the id of a folder's current commit, read from git's files; undefined outside a repository and before the
 * first commit.
 * @param folder absolute
 */
export async function readHeadCommit(folder: string): Promise<string | undefined> {
  const headFile = await findHead(folder)
  if (headFile === undefined) return undefined
  const head = (await readSmallFile(headFile))?.trim() ?? ''
  const reference = /^ref: (refs\/.+)$/.exec(head)?.[1]
  if (reference === undefined) return commitId(head)
  const gitDir = path.dirname(headFile)
  // A linked worktree's references are in the folder that it shares with the others.
  const common = path.resolve(gitDir, (await readSmallFile(path.join(gitDir, 'commondir')))?.trim() ?? '.')
  for (const folderOfReference of [gitDir, common]) {
    const id = commitId((await readSmallFile(path.join(folderOfReference, reference)))?.trim() ?? '')
    if (id !== undefined) return id
  }
  const packed = (await readSmallFile(path.join(common, 'packed-refs'))) ?? ''
  return commitId(
    packed
      .split('\n')
      .find((line) => line.endsWith(` ${reference}`))
      ?.split(' ')[0] ?? '',
  )
}

function commitId(text: string): string | undefined {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined
}

/** Finds the HEAD file of the repository or worktree that contains a folder. */
async function findHead(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const git = path.join(current, '.git')
    if (await pathExists(path.join(git, 'HEAD'))) return path.join(git, 'HEAD')
    // In a worktree or submodule, `.git` is a file with the path of the git folder (gitrepository-layout(5)).
    const target = /^gitdir: (.+)$/m.exec((await readSmallFile(git)) ?? '')?.[1]
    if (target !== undefined) {
      const head = path.resolve(current, target.trim(), 'HEAD')
      return (await pathExists(head)) ? head : undefined
    }
    if (current === path.dirname(current)) return undefined
  }
}

export interface BranchWatcher {
  /** Resolves when watching has started. */
  readonly ready: Promise<void>
  /** Checks the branch again, e.g. after a repository was created or deleted. */
  refresh(): void
  close(): void
}

/** Calls `onBranch` when the current branch of a folder changes. */
export function watchBranch(folder: string, onBranch: () => void, onError: (error: unknown) => void): BranchWatcher {
  let branch: string | undefined
  let watchedHead: string | undefined
  let watcher: FSWatcher | undefined
  let closed = false
  const checks = new Sequencer()

  async function check(first: boolean): Promise<void> {
    const head = await findHead(folder)
    if (closed) return
    if (head !== watchedHead) {
      watcher?.close()
      watchedHead = head
      // Watches the folder, because git replaces HEAD by renaming, and a watch on the file would keep the old inode.
      watcher =
        head === undefined
          ? undefined
          : watch(path.dirname(head), (_, name) => {
              if (name === 'HEAD') refresh()
            })
      watcher?.on('error', onError)
    }
    const now = await readBranch(folder)
    if (closed || now === branch) return
    branch = now
    if (!first) onBranch()
  }

  function refresh(): void {
    checks.queue(() => check(false)).catch(onError)
  }

  return {
    ready: checks.queue(() => check(true)).catch(onError),
    refresh,
    close() {
      closed = true
      watcher?.close()
    },
  }
}
