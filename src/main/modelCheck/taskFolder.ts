import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder } from '../base/makeFolder.ts'
import type { TaskFile } from './tasks/checkTask.ts'

/** A temporary folder for a check: the folders of its tasks, and the user data of their core. */
export interface CheckFolder {
  userData: string
  /** Writes the files of a task to a new folder. @returns its path */
  add(name: string, files: readonly TaskFile[]): Promise<string>
  remove(): Promise<void>
}

export async function createCheckFolder(): Promise<CheckFolder> {
  const root = await mkdtemp(join(tmpdir(), 'tizona-check-'))
  return {
    userData: join(root, 'user'),
    async add(name, files) {
      const folder = join(root, 'tasks', name)
      await writeFiles(folder, files)
      return folder
    },
    // A process of the task that is just ending may still hold a file on Windows.
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}

/** Writes files below a folder, and creates missing folders. */
export async function writeFiles(folder: string, files: readonly TaskFile[]): Promise<void> {
  for (const [path, text] of files) {
    const file = join(folder, path)
    await makeFolder(dirname(file))
    await writeFile(file, text)
  }
}

/** Returns the text of a file; null if it does not exist. */
export async function readText(folder: string, path: string): Promise<string | null> {
  try {
    return await readFile(join(folder, path), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw error
  }
}
