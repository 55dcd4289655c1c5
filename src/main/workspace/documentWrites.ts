import { ToolError, toFailure } from '../../shared/errors.ts'
import { mergeAgentEdit } from '../../shared/diff/mergeEdits.ts'
import type { FileStamp } from '../../shared/files/files.ts'
import { isUntitled } from '../../shared/files/untitled.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import type { ResolvedPath, Workspace } from './containment.ts'
import type { DocumentTabs, Tab } from './documentTabs.ts'
import type { PlannedWrite, SaveOptions, TextDocument, WriteOutcome } from './textDocument.ts'
import type { FileEncodings } from './fileEncodings.ts'
import type { FileSystem } from './fileSystem.ts'
import { readTextFile, writeBytes, writeTextFile, type TextFile, type WriteTextOptions } from './textFile.ts'
import { normalizeText } from '../base/textFormat.ts'

// Writes of the document service. The caller holds the lock on the path.

/** Services that writes need. */
export interface DocumentDeps {
  workspace: Pick<Workspace, 'resolve'>
  tabs: DocumentTabs
  encodings: FileEncodings
  fileSystem: FileSystem | undefined
}

async function editFile(
  deps: DocumentDeps,
  base: TextDocument,
  tab: Tab,
  text: string,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const resolved = await deps.workspace.resolve(base.path, { missing: 'allow' })
  if (!resolved.exists) throw changedOnDisk(`"${base.path}" was deleted since it was read, so nothing was written.`)
  const before = await readTextFile(resolved.absolute, resolved.relative, signal, deps.encodings.decodeFile)
  const { path } = base
  const after = mergeAgentEdit({ path, base: base.text, mine: text, other: before.text }, 'changed_on_disk')
  const format = await deps.encodings.formatToWrite(resolved.relative, before.format, before.text, after)
  const stamp = await writeTextFile(resolved.absolute, resolved.relative, after, format, {
    before,
    expected: before.stamp,
    signal,
    fileSystem: deps.fileSystem,
  })
  const typed = await deps.tabs.refresh(resolved.relative, tab, after, stamp)
  // The tab has unsaved text, so the change applies to its text.
  const outcome = { path: resolved.relative, created: false }
  return typed ? { ...outcome, ...typed, unsaved: true } : { ...outcome, before: before.text, after, unsaved: false }
}

/** Replaces the text of a file or of its unsaved tab; see `Documents.edit`. */
export async function editDocument(
  deps: DocumentDeps,
  base: TextDocument,
  text: string,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const tab = await deps.tabs.tabOf(base.path, signal)
  return tab?.dirty ? deps.tabs.edit(base, tab, text, signal) : editFile(deps, base, tab, text, signal)
}

/** Writes a whole file; see `Documents.write`. */
export async function writeDocument(
  deps: DocumentDeps,
  resolved: ResolvedPath,
  input: string,
  signal?: AbortSignal,
  prepare?: (change: PlannedWrite) => Promise<void>,
): Promise<WriteOutcome> {
  const path = resolved.relative
  refuseUntitled(path)
  const tab = await deps.tabs.tabOf(path, signal)
  if (tab?.dirty) {
    throw new ToolError(
      'unsaved_changes',
      `"${path}" has unsaved changes in an open tab, which would be lost.`,
      'Edit parts of the file, or ask the user to save or revert the file.',
    )
  }
  const { text, format } = normalizeText(input)
  const before = resolved.exists
    ? await readTextFile(resolved.absolute, path, signal, deps.encodings.decodeFile)
    : undefined
  await prepare?.({ path, before: before?.text ?? null, after: text })
  const kept = before ? keptFormat(before, format) : format
  const written = await deps.encodings.formatToWrite(path, kept, before?.text ?? '', text)
  const stamp = await writeTextFile(resolved.absolute, path, text, written, {
    before,
    expected: before?.stamp ?? null,
    signal,
    fileSystem: deps.fileSystem,
  })
  await deps.tabs.refresh(path, tab, text, stamp)
  return { path, created: !before, before: before?.text ?? null, after: text, unsaved: false }
}

/** Saves a tab; see `WindowDocuments.save`. */
export async function saveDocument(
  deps: DocumentDeps,
  resolved: ResolvedPath,
  input: string,
  format: TextFormat,
  { stamp, force }: SaveOptions,
  signal?: AbortSignal,
): Promise<FileStamp> {
  const path = resolved.relative
  refuseUntitled(path)
  if (!resolved.exists) {
    if (stamp !== undefined && !force)
      throw changedOnDisk(`"${path}" was deleted since it was read, so nothing was written.`)
    return saveText(deps, resolved, input, format, {
      expected: force ? undefined : null,
      signal,
    })
  }
  const before = await readForSave(deps, resolved, force === true, signal)
  if (!force && before?.stamp !== stamp)
    throw changedOnDisk(`"${path}" has changed since it was read, so nothing was written.`)
  return saveText(deps, resolved, input, format, {
    before,
    expected: force ? undefined : before?.stamp,
    keepIdentity: true,
    signal,
  })
}

/** @throws ToolError `invalid_path` for the text of a tab without a file */
function refuseUntitled(path: string): void {
  if (isUntitled(path))
    throw new ToolError(
      'invalid_path',
      `"${path}" is a tab without a file, so nothing was written.`,
      'Edit parts of its text, or write to the path of a file.',
    )
}

async function saveText(
  { encodings, fileSystem }: DocumentDeps,
  { absolute, relative }: ResolvedPath,
  input: string,
  format: TextFormat,
  options: WriteTextOptions,
): Promise<FileStamp> {
  const stamp = await writeTextFile(absolute, relative, normalizeText(input).text, format, { ...options, fileSystem })
  encodings.saved(relative, format.encoding)
  return stamp
}

/** Restores an earlier version; see `WindowDocuments.restoreVersion`. */
export async function restoreFileVersion(
  deps: DocumentDeps,
  { absolute, relative }: ResolvedPath,
  content: Buffer,
  mode: number,
): Promise<void> {
  refuseUntitled(relative)
  const tab = await deps.tabs.tabOf(relative)
  if (tab?.dirty)
    throw new ToolError(
      'unsaved_changes',
      `"${relative}" has unsaved changes in an open tab.`,
      'Save or revert it first.',
    )
  const stamp = await writeBytes(absolute, relative, content, mode, deps.fileSystem)
  const text = textOf(deps, content, relative)
  if (text !== null) await deps.tabs.refresh(relative, tab, text, stamp)
}

/** Reads the file that a save replaces; undefined if the save is forced and the file is no longer text. */
async function readForSave(
  { encodings }: DocumentDeps,
  resolved: ResolvedPath,
  force: boolean,
  signal?: AbortSignal,
): Promise<TextFile | undefined> {
  try {
    return await readTextFile(resolved.absolute, resolved.relative, signal, encodings.decodeFile)
  } catch (error) {
    if (force && ['binary_file', 'invalid_encoding', 'too_large'].includes(toFailure(error).code)) return undefined
    throw error
  }
}

/** Decodes text; null for binary content, which tabs do not show. */
function textOf({ encodings }: DocumentDeps, content: Buffer, path: string): string | null {
  try {
    return encodings.decode(content, path).text
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** Format for overwriting a file. A file without line endings gets the line endings of its new text. */
function keptFormat(before: TextFile, input: TextFormat): TextFormat {
  return before.text.includes('\n') ? before.format : { ...before.format, eol: input.eol }
}

function changedOnDisk(message: string): ToolError {
  return new ToolError('changed_on_disk', message, 'Read it again and repeat the edit on the new text.')
}
