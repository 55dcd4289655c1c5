import { readFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { workspaceFileExtension } from '../../shared/files/workspaceFolders.ts'
import { readFolderEntries } from '../workspace/workspaceFile.ts'
import { linksFolder } from '../workspaceServices/changeFolders.ts'

/**
 * Returns the names of the folders of each unsaved workspace among recent paths. Their files are Tizona's, so their paths
 * mean nothing to users. Omits other paths, and workspaces that cannot be read.
 */
export async function untitledAmong(
  recents: readonly string[],
  userData: string,
): Promise<Record<string, readonly string[]>> {
  const untitled = recents.filter(
    (path) => dirname(path) === linksFolder(userData) && extname(path) === workspaceFileExtension,
  )
  const named = await Promise.all(
    untitled.map(async (path) => {
      const names = await readFile(path, 'utf8').then(
        (text) => readFolderEntries(text, path).map(({ name }) => name),
        () => null,
      )
      return names === null ? [] : [[path, names] as const]
    }),
  )
  return Object.fromEntries(named.flat())
}
