import { open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { isAbort, toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'
import type { Documents } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import { withoutInvisibleCharacters } from './instructionText.ts'

/** Where instructions are read from. Every path of the workspace is resolved and contained by these services. */
export interface InstructionDeps {
  documents: Pick<Documents, 'read'>
  files: Pick<FileOperations, 'list'>
  /** The user's own folder, outside every workspace. */
  userData: string
}

/** A text as it was read. `note`: what was removed, or why nothing could be read; the text is empty then. */
export interface ReadText {
  text: string
  /** Relative to the workspace; a link under the name it leads to. */
  path: string
  note?: string
}

/** Entries of one folder of rules, skills or commands. */
const maxEntries = 200
/** Bytes of one of the user's own files. */
const maxUserBytes = 256 * 1024

/** A file of the workspace, an open tab's text first. Undefined where there is none. */
export async function readWorkspaceText(
  { documents }: InstructionDeps,
  name: string,
  signal: AbortSignal,
): Promise<ReadText | undefined> {
  try {
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

/** Names in a folder of the workspace by name, files or folders; empty where there is none. */
export async function workspaceEntries(
  { files }: InstructionDeps,
  folder: string,
  kind: 'file' | 'folder',
  signal: AbortSignal,
): Promise<string[]> {
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

/** A file of the user's own folder; undefined where there is none that can be read. */
export async function readUserText(userData: string, name: string): Promise<ReadText | undefined> {
  let handle
  try {
    handle = await open(path.join(userData, name), 'r')
    const { size } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(size, maxUserBytes)),
      0,
      Math.min(size, maxUserBytes),
      0,
    )
    const { text, note } = removeInvisible(buffer.subarray(0, bytesRead).toString('utf8'))
    const cut = size > maxUserBytes ? 'only its first 256 KB were read' : undefined
    return { path: name, text, ...joinNotes(note, cut) }
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  } finally {
    await handle?.close()
  }
}

/** Names in a folder of the user's own, files or folders, links included. */
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

function removeInvisible(raw: string): { text: string; note?: string } {
  const { text, removed } = withoutInvisibleCharacters(raw)
  return {
    text: text.trim(),
    ...joinNotes(removed === 0 ? undefined : `${plural(removed, 'invisible character')} removed`),
  }
}

/** Notes joined into one, or none. */
export function joinNotes(...notes: readonly (string | undefined)[]): { note?: string } {
  const note = notes.filter(Boolean).join('; ')
  return note === '' ? {} : { note }
}

/** What the system says of a file that is missing, no file, or not ours to read. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
