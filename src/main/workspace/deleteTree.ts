import path from 'node:path'
import { toFailure, ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'
import { errorCode, fileError } from './fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'

/** Files that are deleted at the same time. */
const concurrency = 32
/** Paths that a failure names of what is gone, and of what is left. */
const maxNamed = 10
/** Entries that are counted of what is left. */
const maxCounted = 10_000

/** What a failed deletion has done, for its message. */
interface Progress {
  files: number
  folders: number
  /** The first of them, relative to the workspace. */
  named: string[]
}

/**
 * Deletes a folder with everything in it; links in it are deleted themselves. Stops at the first thing that cannot be deleted.
 * @param relative the folder as the workspace knows it
 * @throws ToolError that says what could not be deleted and why, what is gone, and what is left
 */
export async function deleteTree(absolute: string, relative: string, fileSystem: FileSystem): Promise<void> {
  const gone: Progress = { files: 0, folders: 0, named: [] }
  try {
    await deleteFolder(absolute, relative, fileSystem, gone)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (gone.files + gone.folders === 0) throw error
    const { code, message } = toFailure(error)
    const left = await describeLeft(absolute, relative, fileSystem)
    throw new ToolError(
      code,
      `${message} The folder "${relative}" was deleted only in part. Gone: ${count(gone)} (${list(gone.named, gone.files + gone.folders)}). Left: ${left}.`,
      'What is gone can be restored from a checkpoint or from version control. Settle what stopped the deletion before trying again.',
      { cause: error },
    )
  }
}

async function deleteFolder(absolute: string, relative: string, fileSystem: FileSystem, gone: Progress): Promise<void> {
  const entries = await attempt(relative, () => fileSystem.readdir(absolute, { withFileTypes: true }))
  const folders = entries.filter((entry) => entry.isDirectory())
  const files = entries.filter((entry) => !entry.isDirectory())
  for (let start = 0; start < files.length; start += concurrency) {
    const results = await Promise.allSettled(
      files.slice(start, start + concurrency).map(async ({ name }) => {
        const place = `${relative}/${name}`
        await attempt(place, () => fileSystem.unlink(path.join(absolute, name)))
        note(gone, 'files', place)
      }),
    )
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
  for (const { name } of folders) await deleteFolder(path.join(absolute, name), `${relative}/${name}`, fileSystem, gone)
  await attempt(relative, () => fileSystem.rmdir(absolute))
  note(gone, 'folders', `${relative}/`)
}

async function attempt<T>(relative: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw fileError(error, `delete "${relative}"`)
  }
}

function note(gone: Progress, kind: 'files' | 'folders', place: string): void {
  gone[kind] += 1
  if (gone.named.length < maxNamed) gone.named.push(place)
}

/** What a folder still holds, in words. */
async function describeLeft(absolute: string, relative: string, fileSystem: FileSystem): Promise<string> {
  const left: Progress = { files: 0, folders: 0, named: [] }
  const open = [{ absolute, relative }]
  for (let at = open.pop(); at && left.files + left.folders < maxCounted; at = open.pop()) {
    left.folders += 1
    let entries
    try {
      entries = await fileSystem.readdir(at.absolute, { withFileTypes: true })
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      // It cannot be listed, so it is named itself.
      if (left.named.length < maxNamed) left.named.push(`${at.relative}/`)
      continue
    }
    for (const entry of entries) {
      if (entry.isDirectory())
        open.push({ absolute: path.join(at.absolute, entry.name), relative: `${at.relative}/${entry.name}` })
      else note(left, 'files', `${at.relative}/${entry.name}`)
    }
  }
  const more = left.files + left.folders >= maxCounted ? 'at least ' : ''
  return `${more}${count(left)}${left.named.length > 0 ? ` (${list(left.named, left.files)})` : ''}`
}

function count({ files, folders }: Progress): string {
  const parts = [files > 0 ? plural(files, 'file') : '', folders > 0 ? plural(folders, 'folder') : '']
  return parts.filter(Boolean).join(' and ')
}

function list(named: readonly string[], all: number): string {
  return `${named.map((name) => `"${name}"`).join(', ')}${all > named.length ? ', …' : ''}`
}
