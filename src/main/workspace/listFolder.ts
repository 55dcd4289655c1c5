import type { Dirent } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createNameComparer } from '../base/nameOrder.ts'
import { isPlaceholder } from '../base/placeholderFolder.ts'
import { holdFolder } from '../base/heldFolder.ts'
import { gitRulesFor } from '../base/ignoreRules.ts'
import { ToolError } from '../../shared/errors.ts'
import type { FileEntry } from '../../shared/files/files.ts'
import type { Workspace } from './containment.ts'
import { fileError } from '../base/fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'
import { isTemporaryName } from './textFile.ts'

const compareNames = createNameComparer({ numeric: true })
/** Milliseconds after which a listing yields to other work. */
const sliceMs = 20

/** Lists one level of a folder; see `FileOperations.list`. */
export async function listFolder(
  workspace: Workspace,
  fileSystem: FileSystem,
  requested: string,
  signal?: AbortSignal,
): Promise<FileEntry[]> {
  const folder = await workspace.resolve(requested)
  if (workspace.folders && folder.relative === '.')
    return workspace.folders.map(({ name }) => ({
      name,
      path: name,
      type: 'directory',
      directory: true,
      ignored: false,
    }))
  if (folder.type !== 'directory')
    throw new ToolError(
      'not_a_directory',
      `"${folder.relative}" is a file and not a directory.`,
      'Read it, or list its parent folder.',
    )
  try {
    const found = await readEntries(folder.absolute, fileSystem)
    signal?.throwIfAborted()
    const rules = await gitRulesFor(folder.absolute)
    const entries: FileEntry[] = []
    let since = performance.now()
    for (const entry of found) {
      const relative = folder.relative === '.' ? entry.name : `${folder.relative}/${entry.name}`
      if (isTemporaryName(entry.name) || workspace.isOwnData(relative)) continue
      const type = typeOf(entry)
      if (type === 'directory' && (await isPlaceholder(path.join(folder.absolute, entry.name)))) continue
      const directory = type === 'directory' || (type === 'symlink' && (await leadsToFolder(workspace, relative)))
      entries.push({
        name: entry.name,
        path: relative,
        type,
        directory,
        ignored: rules.ignores(entry.name, type === 'directory'),
      })
      // Matching thousands of names against thousands of rules takes a while, so this yields to other work.
      if (performance.now() - since < sliceMs) continue
      await nextTurn()
      signal?.throwIfAborted()
      since = performance.now()
    }
    return entries.toSorted((a, b) => Number(b.directory) - Number(a.directory) || compareNames(a.name, b.name))
  } catch (error) {
    throw fileError(error, `"${folder.relative}" could not be listed.`)
  }
}

async function readEntries(absolute: string, fileSystem: FileSystem): Promise<Dirent[]> {
  const folder = await holdFolder(absolute)
  try {
    return await fileSystem.readdir(folder.path, { withFileTypes: true })
  } finally {
    await folder.release()
  }
}

function typeOf(entry: Dirent): FileEntry['type'] {
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isDirectory()) return 'directory'
  return entry.isFile() ? 'file' : 'other'
}

/** Whether a link points to a folder in the workspace. Other links are listed as files that cannot be opened. */
async function leadsToFolder(workspace: Workspace, relative: string): Promise<boolean> {
  try {
    return (await workspace.resolve(relative)).type === 'directory'
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}
