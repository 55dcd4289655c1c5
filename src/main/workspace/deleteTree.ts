import path from 'node:path'
import type { HeldFolder } from '../base/heldFolder.ts'
import { toFailure, ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'

/** Maximum number of files deleted concurrently. */
const concurrency = 32
/** Maximum number of deleted paths, and of remaining paths, named in an error. */
const maxNamed = 10
/** Maximum number of remaining entries counted for an error. */
const maxCounted = 10_000

/** Entries counted for the message of a failed deletion. */
interface Progress {
  files: number
  folders: number
  /** The first few paths, relative to the workspace. */
  named: string[]
}

/**
 * Deletes a folder and everything inside it. Deletes links instead of following them. Stops at the first entry that
 * cannot be deleted.
 * @param parent the held folder that contains the folder
 * @param relative path of the folder relative to the workspace
 * @throws ToolError that names the entry and the cause, what was deleted, and what remains
 */
export async function deleteTree(
  parent: HeldFolder,
  absolute: string,
  relative: string,
  fileSystem: FileSystem,
): Promise<void> {
  const done: Progress = { files: 0, folders: 0, named: [] }
  try {
    await deleteFolder(parent, path.basename(absolute), relative, { fileSystem, done })
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (done.files + done.folders === 0) throw error
    const { code, message } = toFailure(error)
    const remaining = await describeRemaining(absolute, relative, fileSystem)
    throw new ToolError(
      code,
      `${message} The folder "${relative}" was partially deleted. Deleted: ${count(done)} (${list(done.named, done.files + done.folders)}). Remaining: ${remaining}.`,
      'Restore deleted files from a checkpoint or from version control. Fix the cause before you try again.',
      { cause: error },
    )
  }
}

async function deleteFolder(
  parent: HeldFolder,
  name: string,
  relative: string,
  run: { fileSystem: FileSystem; done: Progress },
): Promise<void> {
  const { fileSystem, done } = run
  const folder = await attempt(relative, () => parent.enter(name))
  try {
    const entries = await attempt(relative, () => fileSystem.readdir(folder.path, { withFileTypes: true }))
    const files = entries.filter((entry) => !entry.isDirectory())
    for (let start = 0; start < files.length; start += concurrency) {
      const results = await Promise.allSettled(
        files.slice(start, start + concurrency).map(async (file) => {
          const entryPath = `${relative}/${file.name}`
          await attempt(entryPath, () => fileSystem.unlink(folder.entry(file.name)))
          note(done, 'files', entryPath)
        }),
      )
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    }
    for (const child of entries.filter((entry) => entry.isDirectory()))
      await deleteFolder(folder, child.name, `${relative}/${child.name}`, run)
  } finally {
    await folder.release()
  }
  await attempt(relative, () => fileSystem.rmdir(parent.entry(name)))
  note(done, 'folders', `${relative}/`)
}

async function attempt<T>(relative: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw fileError(error, `"${relative}" could not be deleted.`)
  }
}

function note(done: Progress, kind: 'files' | 'folders', entryPath: string): void {
  done[kind] += 1
  if (done.named.length < maxNamed) done.named.push(entryPath)
}

/** Describes what remains in a folder. */
async function describeRemaining(absolute: string, relative: string, fileSystem: FileSystem): Promise<string> {
  const remaining: Progress = { files: 0, folders: 0, named: [] }
  const open = [{ absolute, relative }]
  for (let at = open.pop(); at && remaining.files + remaining.folders < maxCounted; at = open.pop()) {
    remaining.folders += 1
    let entries
    try {
      entries = await fileSystem.readdir(at.absolute, { withFileTypes: true })
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      // Names the folder itself if it cannot be listed.
      if (remaining.named.length < maxNamed) remaining.named.push(`${at.relative}/`)
      continue
    }
    for (const entry of entries) {
      if (entry.isDirectory())
        open.push({ absolute: path.join(at.absolute, entry.name), relative: `${at.relative}/${entry.name}` })
      else note(remaining, 'files', `${at.relative}/${entry.name}`)
    }
  }
  const more = remaining.files + remaining.folders >= maxCounted ? 'at least ' : ''
  return `${more}${count(remaining)}${remaining.named.length > 0 ? ` (${list(remaining.named, remaining.files)})` : ''}`
}

function count({ files, folders }: Progress): string {
  const parts = [files > 0 ? plural(files, 'file') : '', folders > 0 ? plural(folders, 'folder') : '']
  return parts.filter(Boolean).join(' and ')
}

function list(named: readonly string[], all: number): string {
  return `${named.map((name) => `"${name}"`).join(', ')}${all > named.length ? ', …' : ''}`
}
