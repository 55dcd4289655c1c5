import { randomUUID } from 'node:crypto'
import { link, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { errorCode } from '../base/fileErrors.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'

/** Content of the lock, which tells it from a lock of git. */
const mark = 'tizona\n'

const lockOf = ({ gitFolder }: LinkedWorktree) => path.join(gitFolder, 'HEAD.lock')

/**
 * Runs an action while git cannot move HEAD of a worktree, so that no commit is lost. Git takes the same lock before it
 * changes HEAD, also for the log of a commit on a branch, and removes it together with the worktree.
 *
 * @throws ToolError `conflict` if another program holds it
 */
export async function withHeadLocked<T>(links: LinkedWorktree, act: () => Promise<T>): Promise<T> {
  const lock = lockOf(links)
  // Linked when it is complete: a lock without content would look like one of git.
  const complete = `${lock}-${randomUUID()}`
  try {
    await writeFile(complete, mark, { flag: 'wx' })
    await link(complete, lock).catch(async (error: unknown) => {
      if (errorCode(error) === 'EEXIST') throw error
      // The file system has no hard links.
      await writeFile(lock, mark, { flag: 'wx' })
    })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new ToolError(
      'conflict',
      'Git changes HEAD of the worktree, or was interrupted while it did.',
      `Wait until it has ended. If no git process runs there, delete ${lock}.`,
    )
  } finally {
    await rm(complete, { force: true })
  }
  try {
    return await act()
  } catch (error) {
    await releaseHead(links)
    throw error
  }
}

/** Removes the lock that an interrupted removal left. */
export async function releaseHead(links: LinkedWorktree): Promise<void> {
  const lock = lockOf(links)
  // A command can have replaced it by a pipe.
  if ((await readUnlinkedFile(lock)) === mark) await rm(lock, { force: true })
}
