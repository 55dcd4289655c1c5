import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './fileErrors.ts'

// Node's recursive `mkdir` never returns if the system reports ENOENT for a folder whose parent exists, as Linux does
// below /proc. It keeps a thread busy and the process alive. The user chooses the data folder, so it can be anywhere.

/**
 * Creates a folder for this user only, and its missing parents. @throws the system error, also if a file is in the
 * way
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder)
  } catch (error) {
    if (!isWithoutParent(folder, error)) throw error
    await makeFolder(dirname(folder))
    await makeOne(folder)
  }
}

/** Synchronous `makeFolder`, for the start and the end of a process. */
export function makeFolderSync(folder: string): void {
  try {
    makeOneSync(folder)
  } catch (error) {
    if (!isWithoutParent(folder, error)) throw error
    makeFolderSync(dirname(folder))
    makeOneSync(folder)
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    // For an existing folder the error is EEXIST, or another one if its parent is not writable.
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
    if (!isFolder) throw error
  }
}

function makeOneSync(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!isFolderSync(folder)) throw error
  }
}

function isFolderSync(folder: string): boolean {
  try {
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

function isWithoutParent(folder: string, error: unknown): boolean {
  return errorCode(error) === 'ENOENT' && dirname(folder) !== folder
}
