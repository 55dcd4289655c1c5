import path from 'node:path'
import type { GitUnfinishedOperation } from '../../../shared/git/git.ts'
import { pathExists, readSmallFile } from '../../base/smallFile.ts'
import type { FoundRepository } from './findRepositories.ts'

/** Returns the operation that waits for the user, from the files that git keeps for it (git-status(1), wt-status.c). */
export async function readUnfinishedOperation({
  gitDir,
}: Pick<FoundRepository, 'gitDir'>): Promise<GitUnfinishedOperation | null> {
  const read = async (name: string) => (await readSmallFile(path.join(gitDir, name)))?.trim()
  const message = async () => {
    const text = await read('MERGE_MSG')
    // git adds comments that list the conflicts.
    return text === undefined ? {} : { message: text.replaceAll(/^#.*\n?/gm, '').trim() }
  }

  for (const folder of ['rebase-merge', 'rebase-apply']) {
    if (!(await pathExists(path.join(gitDir, folder)))) continue
    if (await pathExists(path.join(gitDir, folder, 'applying'))) return { kind: 'apply_mailbox' }
    const [branch, step, steps] = await Promise.all([
      read(`${folder}/head-name`),
      read(folder === 'rebase-merge' ? `${folder}/msgnum` : `${folder}/next`),
      read(folder === 'rebase-merge' ? `${folder}/end` : `${folder}/last`),
    ])
    return {
      kind: 'rebase',
      ...(branch !== undefined && { subject: branch.replace(/^refs\/heads\//, '') }),
      ...(step !== undefined && steps !== undefined && { step: Number(step), steps: Number(steps) }),
      ...(await message()),
    }
  }
  const merge = await read('MERGE_HEAD')
  if (merge !== undefined) {
    const prepared = await message()
    const branch = /^Merge (?:remote-tracking )?(?:branch|commit|tag) '([^']+)'/.exec(prepared.message ?? '')?.[1]
    return { kind: 'merge', subject: branch ?? merge.slice(0, 7), ...prepared }
  }
  const picked = await read('CHERRY_PICK_HEAD')
  if (picked !== undefined) return { kind: 'cherry_pick', subject: picked.slice(0, 7), ...(await message()) }
  const reverted = await read('REVERT_HEAD')
  if (reverted !== undefined) return { kind: 'revert', subject: reverted.slice(0, 7), ...(await message()) }
  if (await pathExists(path.join(gitDir, 'BISECT_LOG'))) return { kind: 'bisect' }
  return null
}
