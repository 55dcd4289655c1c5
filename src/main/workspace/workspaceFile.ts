import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { checkLooseJson } from '../base/looseJson.ts'
import { relativeInside } from '../base/workspaceRoots.ts'

/** A folder in the text of a `.code-workspace` file. */
export interface FolderEntry {
  /** Absolute path; null if the entry names none on this machine. */
  path: string | null
  /** First part of its paths. Unique among all entries, whether their folders exist or not. */
  name: string
}

const fileSchema = z.looseObject({ folders: z.array(z.unknown()).default([]) })
const entrySchema = z.looseObject({
  path: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
})

/** Maximum number of folders. Each costs watchers and a part of the index. */
const maxFolders = 100
/** Characters that a folder's name in the workspace cannot contain: separators and those that Windows forbids. */
const notInNames = /[/\\:*?"<>|\p{Cc}\p{Cf}]/gu

/**
 * Reads the folders of a `.code-workspace` file, a format of VS Code. Accepts comments and trailing commas.
 * @param file real path; relative folders start from its folder
 * @throws ToolError `invalid_arguments` if it is not JSON or has too many folders
 */
export function readFolderEntries(text: string, file: string): FolderEntry[] {
  const { value, problem } = checkLooseJson(text)
  const parsed = fileSchema.safeParse(value)
  if (problem || !parsed.success)
    throw new ToolError(
      'invalid_arguments',
      `"${file}" is not a workspace file. ${problem ? `Line ${problem.line}: ${problem.message}.` : '"folders" must be a list.'}`,
      'Correct the file, or open a folder instead.',
    )
  const { folders } = parsed.data
  if (folders.length > maxFolders)
    throw new ToolError(
      'too_large',
      `"${file}" has ${plural(folders.length, 'folder')}. A workspace can have ${maxFolders}.`,
      'Remove some, or open the folder that contains them.',
    )
  const used = new Set<string>()
  return folders.map((folder) => {
    const entry = entrySchema.safeParse(folder).data ?? {}
    const absolute = pathOf(entry, file)
    return { path: absolute, name: unique(nameOf(entry.name ?? path.basename(absolute ?? '')), used) }
  })
}

function pathOf({ path: given, uri }: z.output<typeof entrySchema>, file: string): string | null {
  if (given !== undefined && given !== '' && !given.includes('\0')) return path.resolve(path.dirname(file), given)
  if (uri === undefined) return null
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}

/** `~`, `.` and `..` have a meaning in paths. */
function nameOf(given: string): string {
  const name = Array.from(given.normalize('NFC').replaceAll(notInNames, '-').trim()).slice(0, 100).join('')
  return /^(?:\.*|~)$/.test(name) ? `folder${name.replaceAll(/\W/g, '')}` : name
}

function unique(name: string, used: Set<string>): string {
  const fold = (each: string): string => each.normalize('NFC').toLowerCase()
  let free = name
  for (let number = 2; used.has(fold(free)); number++) free = `${name}-${number}`
  used.add(fold(free))
  return free
}

/** The text of a new file. @param folders absolute paths */
export function newWorkspaceText(file: string, folders: readonly string[]): string {
  return addFolderEntries('{\n  "folders": [],\n  "settings": {}\n}\n', file, folders)
}

/** Adds folders to the text of a file and keeps the rest as it is. @param folders absolute paths */
export function addFolderEntries(text: string, file: string, folders: readonly string[]): string {
  return folders.reduce(
    (changed, folder) => change(changed, ['folders', -1], { path: spelledFrom(file, folder) }),
    change(text, ['folders'], undefined, 'ensure'),
  )
}

/** Removes entries from the text of a file. @param indexes positions in `readFolderEntries` */
export function removeFolderEntries(text: string, indexes: readonly number[]): string {
  return indexes.toSorted((one, other) => other - one).reduce(withoutEntry, text)
}

/** `modify` of jsonc-parser leaves a brace too many where the last entry is removed. */
function withoutEntry(text: string, index: number): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const entries = (root && findNodeAtLocation(root, ['folders'])?.children) ?? []
  const [before, entry, after] = [entries[index - 1], entries[index], entries[index + 1]]
  if (!entry) return text
  const end = entry.offset + entry.length
  if (after) return text.slice(0, entry.offset) + text.slice(after.offset)
  return text.slice(0, before ? before.offset + before.length : entry.offset) + text.slice(end)
}

/** Rewrites the relative paths of a file's text for another location of the file. */
export function moveWorkspaceText(text: string, from: string, to: string): string {
  const parsed = fileSchema.safeParse(checkLooseJson(text).value)
  return (parsed.data?.folders ?? []).reduce<string>((changed, folder, index) => {
    const given = entrySchema.safeParse(folder).data?.path
    if (given === undefined || given === '') return changed
    const absolute = path.resolve(path.dirname(from), given)
    return change(changed, ['folders', index, 'path'], spelledFrom(to, absolute))
  }, text)
}

/** @param ensure creates the value, an empty list, only if it is missing */
function change(text: string, place: (string | number)[], value: unknown, ensure?: 'ensure'): string {
  if (ensure && Array.isArray((checkLooseJson(text).value as { folders?: unknown } | undefined)?.folders)) return text
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: /^( +)/m.exec(text)?.[1]?.length ?? 2 }
  const isInsertion = typeof place.at(-1) === 'number' && place.at(-1) === -1
  return applyEdits(
    text,
    modify(text, place, ensure ? [] : value, { formattingOptions, ...(isInsertion && { isArrayInsertion: true }) }),
  )
}

/** A folder beside or below the file is spelled relative to it, so that both can move together. */
function spelledFrom(file: string, folder: string): string {
  const above = path.dirname(path.dirname(file))
  const near = path.dirname(above) !== above && relativeInside(above, folder) !== null
  return near ? path.relative(path.dirname(file), folder).split(path.sep).join('/') || '.' : folder
}
