import type { Workspace } from '../workspace/containment.ts'
import { listFiles } from './fileSearch.ts'
import { createRipgrep } from './ripgrep.ts'

/** Maximum number of files. */
const maxFound = 10_000

/** Returns the paths of files with certain names, relative to the workspace. */
export type FilesNamed = (names: readonly string[]) => Promise<readonly string[]>

/** Creates the search for files by their whole names in all folders but `node_modules`, also where git ignores them. */
export function createFilesNamed(workspace: Workspace): FilesNamed {
  const ripgrep = createRipgrep()
  const never = new AbortController().signal
  return async (names) => {
    const globs = [...names, '!node_modules', '!.git'].flatMap((glob) => ['--glob', glob])
    const found: string[] = []
    await listFiles({ workspace, ripgrep }, ['--no-ignore', '--hidden', ...globs, '--', '.'], never, (files) => {
      found.push(...files.map((file) => file.slice(2)))
      return found.length < maxFound
    })
    return found.toSorted()
  }
}
