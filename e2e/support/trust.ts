import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Trusts a folder in a throw-away user data folder, as the trust dialog does. @param folder real path */
export async function trustFolder(userData: string, folder: string): Promise<void> {
  await mkdir(userData, { recursive: true })
  const decisions = { folders: [{ path: folder, trusted: true }] }
  await writeFile(join(userData, 'trusted-folders.json'), JSON.stringify(decisions))
}
