import { hash } from 'node:crypto'
import { access, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import { linkedWorktree } from '../base/linkedWorktree.ts'
import { createRestingIndexClient, type RestingIndexClient, type RestingOptions } from './process/restingIndexClient.ts'

// Where the index of a folder is stored, and what a new one starts from.

/** Maximum milliseconds to wait for a copy. Reading all files takes longer, and a busy machine much longer. */
const maxCopyWait = 30_000

/** Indexes of this process, which have locked their databases, by root. */
const openIndexes = new Map<string, RestingIndexClient>()

export type FolderIndexOptions = Omit<RestingOptions, 'engine' | 'prepare'> & { grammars: string }

/** Starts the index of a workspace. */
export function createFolderIndexClient(
  { root, folders }: WorkspaceRoots,
  userData: string,
  { grammars, ...options }: FolderIndexOptions,
): RestingIndexClient {
  const client = createRestingIndexClient({
    ...options,
    engine: { root, folders, database: indexFileOf(root, userData), grammars },
    prepare: () => prepareCopy(root, userData),
  })
  openIndexes.set(root, client)
  return {
    get asleep() {
      return client.asleep
    },
    call: client.call,
    async close() {
      if (openIndexes.get(root) === client) openIndexes.delete(root)
      await client.close()
    },
  }
}

/**
 * Returns the absolute path of a folder's index database.
 * @param root real path of the folder
 */
export function indexFileOf(root: string, userData: string): string {
  return path.join(userData, 'code-index', `${hash('sha1', root)}.db`)
}

/**
 * Deletes the index of a folder that is gone, with those of further processes (`NAME-2.db`) and unfinished copies.
 * @param root real path that the folder had
 */
export async function removeFolderIndex(root: string, userData: string): Promise<void> {
  const folder = path.join(userData, 'code-index')
  const name = hash('sha1', root)
  for (const file of await readdir(folder).catch(() => []))
    if (file.startsWith(name)) await rm(path.join(folder, file), { force: true })
}

/**
 * Makes the new index of a linked worktree start as a copy of the index of its repository's folder, most of whose files
 * are the same. If that one is in use in this process, its process makes the copy.
 * @returns the database to copy if no process has it open
 */
async function prepareCopy(root: string, userData: string): Promise<string | undefined> {
  const database = indexFileOf(root, userData)
  if (await exists(database)) return undefined
  const repository = await repositoryOf(root)
  if (repository === undefined) return undefined
  const open = openIndexes.get(repository)
  if (!open || open.asleep) return indexFileOf(repository, userData)
  await Promise.race([
    open.call('copyTo', [database]).catch(() => undefined),
    delay(maxCopyWait, undefined, { ref: false }),
  ])
  return undefined
}

/** Returns the folder of the repository that a folder is a linked worktree of. */
export async function repositoryOf(root: string): Promise<string | undefined> {
  const links = await linkedWorktree(path.join(root, '.git')).catch(() => undefined)
  return links && path.basename(links.common) === '.git' ? path.dirname(links.common) : undefined
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
