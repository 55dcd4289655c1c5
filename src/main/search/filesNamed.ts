import type { Workspace } from '../workspace/containment.ts'
import { listFiles } from './fileSearch.ts'
import { createRipgrep } from './ripgrep.ts'

/** Maximum number of files. */
const maxFound = 10_000

/** Returns the workspace paths of files with certain names. */
export type FilesNamed = (names: readonly string[]) => Promise<readonly string[]>

/** Creates a search for files by whole name in all folders except `node_modules`, even ignored ones. */
export function createFilesNamed(workspace: Workspace): FilesNamed {
  return (names) => listByGlobs(workspace, [...names, '!node_modules', '!.git'])
}

/** Creates a search for package manifests by package name, in each `node_modules` of a folder. */
export function createPackagesNamed(workspace: Workspace): FilesNamed {
  return (names) => listByGlobs(workspace, [...names.map((name) => `**/node_modules/${name}/package.json`), '!.git'])
}

async function listByGlobs(workspace: Workspace, globs: readonly string[]): Promise<string[]> {
  const ripgrep = createRipgrep()
  const flags = ['--no-ignore', '--hidden', ...globs.flatMap((glob) => ['--glob', glob]), '--', '.']
  const found: string[] = []
  await listFiles({ workspace, ripgrep }, flags, new AbortController().signal, (files) => {
    found.push(...files.map((file) => file.slice(2)))
    return found.length < maxFound
  })
  return found.toSorted()
}
