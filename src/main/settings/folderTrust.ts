import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { openJsonFile } from './jsonFile.ts'

/** The user's decisions about folders. A decision also applies to subfolders that have none. */
export interface FolderTrust {
  /** Whether the user trusts the folder. A folder without a decision is not trusted. @param root real path */
  isTrusted(root: string): boolean
  /** Whether the user has decided about this folder or a folder above it. */
  isDecided(root: string): boolean
  /** Stores a decision. Replaces opposite decisions about subfolders. */
  decide(root: string, trusted: boolean): Promise<void>
  /** Reads the file again, for decisions stored by other processes. */
  reload(): Promise<boolean>
}

const fileSchema = z.object({ folders: z.array(z.object({ path: z.string(), trusted: z.boolean() })) })

/** Maximum number of decisions. The oldest are removed first, which makes their folders untrusted. */
const maxDecisions = 1000

/** Opens `trusted-folders.json` in the user data folder. Only the user can read it. */
export async function createFolderTrust(
  userDataFolder: string,
  onNotice: (message: string) => void,
): Promise<FolderTrust> {
  const path = join(userDataFolder, 'trusted-folders.json')
  const file = await openJsonFile(path, fileSchema, { folders: [] }, onNotice)
  /** Returns the decision about the nearest folder: this one or a parent. */
  const nearest = (root: string) =>
    file.value.folders
      .filter((folder) => isSameOrBelow(root, folder.path))
      .reduce<{ path: string; trusted: boolean } | undefined>(
        (best, folder) => (best === undefined || folder.path.length > best.path.length ? folder : best),
        undefined,
      )
  return {
    isTrusted: (root) => nearest(root)?.trusted === true,
    isDecided: (root) => nearest(root) !== undefined,
    async decide(root, trusted) {
      await file.update(({ folders }) => ({
        folders: [
          ...folders.filter(
            (folder) => folder.path !== root && (folder.trusted === trusted || !isSameOrBelow(folder.path, root)),
          ),
          { path: root, trusted },
        ].slice(-maxDecisions),
      }))
    },
    reload: () => file.reload(),
  }
}

/** Whether a path equals or is inside a folder. Both are absolute. */
export function isSameOrBelow(path: string, folder: string): boolean {
  const steps = relative(folder, path)
  return steps === '' || (steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps))
}

/**
 * Returns the parent folder if it can be trusted as a whole, otherwise null: not a file system root, and no folder that
 * contains one of `shared`, such as the home or temporary folder, where other programs create folders.
 */
export function trustableParent(root: string, shared: readonly string[]): string | null {
  const parent = dirname(root)
  const tooWide = dirname(parent) === parent || shared.some((folder) => isSameOrBelow(folder, parent))
  return tooWide ? null : parent
}
