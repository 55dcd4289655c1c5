import { watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { exists, readSmallFile } from '../base/smallFile.ts'
import { Sequencer } from '../../shared/sequencer.ts'

/**
 * The branch a folder is on, read from git's own files: no git process runs. A detached HEAD gives the first seven digits of
 * its commit; undefined outside a repository.
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

/** The HEAD file of the repository a folder lies in, that of its worktree where it is one. */
export async function findHead(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const git = path.join(current, '.git')
    if (await exists(path.join(git, 'HEAD'))) return path.join(git, 'HEAD')
    // In a worktree or submodule `.git` is a file that names the real folder (gitrepository-layout(5)).
    const target = /^gitdir: (.+)$/m.exec((await readSmallFile(git)) ?? '')?.[1]
    if (target !== undefined) {
      const head = path.resolve(current, target.trim(), 'HEAD')
      return (await exists(head)) ? head : undefined
    }
    if (current === path.dirname(current)) return undefined
  }
}

export interface BranchWatcher {
  /** Resolves once changes are noticed. */
  readonly ready: Promise<void>
  /** A repository may have appeared or gone. */
  refresh(): void
  close(): void
}

/** Tells when a folder's branch is another one. */
export function watchBranch(folder: string, onBranch: () => void, onError: (error: unknown) => void): BranchWatcher {
  let branch: string | undefined
  let watchedHead: string | undefined
  let watcher: FSWatcher | undefined
  let closed = false
  const checks = new Sequencer()

  async function look(first: boolean): Promise<void> {
    const head = await findHead(folder)
    if (closed) return
    if (head !== watchedHead) {
      watcher?.close()
      watchedHead = head
      // The folder and not the file: git replaces HEAD by renaming, and a watch on the file would stay with the old one.
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
    checks.queue(() => look(false)).catch(onError)
  }

  return {
    ready: checks.queue(() => look(true)).catch(onError),
    refresh,
    close() {
      closed = true
      watcher?.close()
    },
  }
}
