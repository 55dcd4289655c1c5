import { randomUUID } from 'node:crypto'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../base/makeFolder.ts'

/**
 * Copies the tour's folder to the user data folder. Deletes copies of earlier tours first, except the open one.
 * @returns the copy's path
 */
export async function copyTourWorkspace(
  resources: string,
  userData: string,
  open: string | undefined,
): Promise<string> {
  const tours = join(userData, 'tour')
  await makeFolder(tours)
  for (const name of await readdir(tours)) {
    const old = join(tours, name)
    if (open !== undefined && open.startsWith(old)) continue
    await rm(old, { recursive: true, force: true })
  }
  const copy = join(tours, randomUUID().slice(0, 8), 'shop')
  await cp(join(resources, 'tour', 'workspace'), copy, { recursive: true })
  return copy
}
