import { copyFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { errorCode } from '../base/fileErrors.ts'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'
import type { SessionDeps } from './sessionDeps.ts'
import { commitOf, gitOutput, linksOf, type RunGit } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'

/** HEAD of a worktree before its files became a commit. */
const savedHeadSchema = z.object({
  /** Reference that HEAD names; null if it is detached. */
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  /** Commit that HEAD was moved to. */
  moved: z.string().optional(),
})
type SavedHead = z.output<typeof savedHeadSchema>

/** Files in the git folder of a worktree with the state before the removal. An interruption leaves them there. */
const savedFiles = { head: 'tizona-head', index: 'tizona-index' }

/** Records HEAD and the index, so that a failed removal can restore them. */
export async function saveHead({ run }: SessionDeps, { gitFolder }: LinkedWorktree): Promise<SavedHead> {
  const now = await headOf(run, gitFolder)
  const saved = await readSavedHead(gitFolder)
  // The removal was interrupted after this point.
  if (saved !== undefined && now.ref === null && now.commit === saved.moved) return saved
  if (saved !== undefined && now.ref === saved.ref && now.commit === saved.commit) return saved
  const index = path.join(gitFolder, savedFiles.index)
  for (const old of [index, `${index}.new`]) await rm(old, { force: true })
  // A copy that an interruption cut short must not count.
  await copyFile(path.join(gitFolder, 'index'), `${index}.new`).then(
    () => rename(`${index}.new`, index),
    (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    },
  )
  await writeSavedHead(gitFolder, now)
  return now
}

async function headOf(run: RunGit, gitFolder: string): Promise<SavedHead> {
  const { code, stdout } = await run(gitFolder, ['symbolic-ref', '--quiet', 'HEAD'])
  return { ref: code === 0 ? stdout.trim() : null, commit: (await commitOf(run, gitFolder, 'HEAD')) ?? null }
}

async function readSavedHead(gitFolder: string): Promise<SavedHead | undefined> {
  // A command can have replaced it by a pipe.
  const text = await readUnlinkedFile(path.join(gitFolder, savedFiles.head))
  return text === '' ? undefined : savedHeadSchema.parse(JSON.parse(text))
}

/** Stores the state completely or not at all. */
export async function writeSavedHead(gitFolder: string, head: SavedHead): Promise<void> {
  const file = path.join(gitFolder, savedFiles.head)
  const complete = `${file}.new`
  await rm(complete, { force: true })
  await writeFile(complete, JSON.stringify(head), { flag: 'wx' })
  await rename(complete, file)
}

/** Restores HEAD and the index as they were before a removal that failed. Changes no file of the worktree. */
export async function restoreHead({ run }: SessionDeps, session: SessionRecord): Promise<void> {
  const links = await linksOf(session)
  const saved = links && (await readSavedHead(links.gitFolder))
  // Nothing was moved.
  if (links === undefined || saved === undefined) return
  const now = await headOf(run, links.gitFolder)
  const isMoved = now.ref === null && saved.moved !== undefined && now.commit === saved.moved
  if (isMoved && saved.ref !== null) await gitOutput(run, links.gitFolder, ['symbolic-ref', 'HEAD', saved.ref])
  else if (isMoved && saved.commit !== null)
    await gitOutput(run, links.gitFolder, ['update-ref', '--no-deref', 'HEAD', saved.commit, now.commit ?? ''])
  const index = path.join(links.gitFolder, savedFiles.index)
  // Somebody who moved HEAD since has an index that fits it.
  if (isMoved || (now.ref === saved.ref && now.commit === saved.commit))
    await rename(index, path.join(links.gitFolder, 'index')).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  for (const name of [savedFiles.index, savedFiles.head]) await rm(path.join(links.gitFolder, name), { force: true })
}
