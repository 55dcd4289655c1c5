import { watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import type { FoundRepository } from './findRepositories.ts'

/** Names in a git folder that change often without affecting the status. */
const noise = /(?:\.lock|~)$|^(?:objects|hooks|info|lfs|COMMIT_EDITMSG|gc\.log|fsmonitor--daemon.*|tizona.*)$/

/**
 * Watches the files of git that the status depends on: HEAD, the index, branches, stashes and unfinished operations.
 * Folders are watched, because git replaces these files by renaming. @returns a function that stops watching
 */
export function watchGitFolder(
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
      // Without a watch the status is still refreshed by changes of files and actions.
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
