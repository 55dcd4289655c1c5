import { open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { isAbort, toFailure } from '../../shared/errors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { plural } from '../../shared/text/plural.ts'
import { decodeOutput } from '../base/textFormat.ts'
import type { ActivePlugin } from '../settings/plugins/pluginStore.ts'
import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { Documents } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import { withoutInvisibleCharacters } from './instructionText.ts'

/** Sources of instructions. These services contain all paths inside the workspace. */
export interface InstructionDeps extends Pick<WorkspaceRoots, 'folders'> {
  documents: Pick<Documents, 'read'>
  files: Pick<FileOperations, 'list' | 'stats'>
  /** User data folder, outside every workspace. */
  userData: string
  /** Whether the user trusts the folder. Otherwise no file of the workspace is read. */
  trusted(): boolean
  /** Plug-ins that the user trusts. Default: none. */
  plugins?(): Promise<readonly ActivePlugin[]>
}

/** A text with a note on what was removed or why it could not be read; the text is then empty. */
export interface ReadText {
  text: string
  /** Relative to the workspace; the target path for a link. */
  path: string
  note?: string
}

/** Maximum entries read from a folder of rules, skills or commands. */
const maxEntries = 200
/** Maximum size of a file in bytes. Each request reads all files, and the model gets only a small part. */
const maxBytes = 256 * 1024

/**
 * Reads a workspace file, preferring an open tab's text. Undefined if it does not exist or the folder is not trusted.
 */
export async function readWorkspaceText(
  { documents, files, trusted }: InstructionDeps,
  name: string,
  signal: AbortSignal,
): Promise<ReadText | undefined> {
  if (!trusted()) return undefined
  try {
    const { size } = await files.stats(name)
    if (size > maxBytes)
      return {
        path: name,
        text: '',
        note: `not read: it is ${formatSize(size)}, and the maximum is ${formatSize(maxBytes)}`,
      }
    const { text, path: real } = await documents.read(name, signal)
    return { path: real, ...removeInvisible(text) }
  } catch (error) {
    if (isAbort(error)) throw error
    const { code, message } = toFailure(error)
    if (code === 'not_found' || code === 'is_directory' || code === 'not_a_directory') return undefined
    if (code === 'internal') throw error
    return { path: name, text: '', note: `not read: ${message}` }
  }
}

/** Lists the names of files or folders in a workspace folder, sorted; empty if it does not exist or is not trusted. */
export async function workspaceEntries(
  { files, trusted }: InstructionDeps,
  folder: string,
  kind: 'file' | 'folder',
  signal: AbortSignal,
): Promise<string[]> {
  if (!trusted()) return []
  try {
    const entries = await files.list(folder, signal)
    const wanted = entries.filter((entry) => (entry.type === 'directory' || entry.directory) === (kind === 'folder'))
    return wanted
      .map(({ name }) => name)
      .toSorted()
      .slice(0, maxEntries)
  } catch (error) {
    if (isAbort(error) || toFailure(error).code === 'internal') throw error
    return []
  }
}

/** Reads a file of the user data folder; undefined if it cannot be read. */
export async function readUserText(userData: string, name: string): Promise<ReadText | undefined> {
  let handle
  try {
    handle = await open(path.join(userData, name), 'r')
    const { size } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(size, maxBytes)),
      0,
      Math.min(size, maxBytes),
      0,
    )
    const { text, note } = removeInvisible(decodeOutput(buffer.subarray(0, bytesRead)))
    const truncation = size > maxBytes ? 'only its first 256 KB were read' : undefined
    return { path: name, text, ...joinNotes(note, truncation) }
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  } finally {
    await handle?.close()
  }
}

/** Lists the names of files or folders in the user data folder, including links. */
export async function userEntries(userData: string, folder: string, kind: 'file' | 'folder'): Promise<string[]> {
  try {
    const entries = await readdir(path.join(userData, folder), { withFileTypes: true })
    const wanted = entries.filter((entry) => entry.isSymbolicLink() || entry.isDirectory() === (kind === 'folder'))
    return wanted
      .map(({ name }) => name)
      .toSorted()
      .slice(0, maxEntries)
  } catch (error) {
    if (isSystemError(error)) return []
    throw error
  }
}

/** Reads a text of a plug-in; undefined if it is missing or was changed. */
export async function readPluginText({ readText }: ActivePlugin, file: string): Promise<ReadText | undefined> {
  const text = await readText(file)
  return text === null ? undefined : { path: file, ...removeInvisible(text) }
}

function removeInvisible(raw: string): { text: string; note?: string } {
  const { text, removed } = withoutInvisibleCharacters(raw)
  return {
    text: text.trim(),
    ...joinNotes(removed === 0 ? undefined : `${plural(removed, 'invisible character')} removed`),
  }
}

/** Joins notes into one; returns no note if there are none. */
export function joinNotes(...notes: readonly (string | undefined)[]): { note?: string } {
  const note = notes.filter(Boolean).join('; ')
  return note === '' ? {} : { note }
}

/** Whether it is a file system error: a missing file, not a file, or no permission. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
