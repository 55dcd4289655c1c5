import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { storeStatus } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { attemptGit, type NextSteps } from './failures.ts'

/** Next step after `index.lock` made an action fail: shows who may hold the lock, and removes it if nobody does. */
export function lockSteps(repository: string): NextSteps {
  return {
    locked: [
      { label: 'Check the lock', run: () => attemptGit(() => checkLock(repository), 'The lock could not be checked') },
    ],
  }
}

async function checkLock(repository: string): Promise<void> {
  const { path, processes, removable } = await request('git.lock', { repository })
  if (path === null) return notify('info', 'The repository is no longer locked.', { detail: 'Try again.' })
  if (!removable) {
    const holders = processes.map(({ pid, command }) => `${command} (${pid})`).join(', ')
    notify(
      'warning',
      `The repository is locked by ${plural(processes.length, 'running Git process', 'running Git processes')}.`,
      {
        detail: `Wait until it ends, then try again: ${holders}`,
      },
    )
    return
  }
  const choice = await confirm({
    title: 'Remove the lock file?',
    message: `No Git process is running in this repository. The lock was left behind by a process that crashed: ${path}`,
    choices: [{ id: 'remove', label: 'Remove lock file', variant: 'primary' }],
  })
  if (choice !== null) storeStatus(await request('git.removeLock', { repository }))
}
