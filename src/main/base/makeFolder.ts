import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './fileErrors.ts'

// Node's recursive `mkdir` never ends if the system reports ENOENT for a folder whose parent exists, as Linux does
// below /proc. It then keeps a thread busy and the process alive. The folders of these functions may be anywhere,
// because the user names the data folder.

/** Creates a folder for this user only, and its missing parents. @throws the system error, also if it is a file */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder)
  } catch (error) {
    if (!isWithoutParent(folder, error)) throw error
    await makeFolder(dirname(folder))
    await makeOne(folder)
  }
}

/** Same as `makeFolder`, for the start and the end of a process. */
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
    // The error of an existing folder is EEXIST, or another one if nobody may write beside it.
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
