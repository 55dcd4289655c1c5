import { createHash, randomUUID } from 'node:crypto'
import { chmod, readdir, readFile, readlink, realpath, rm, stat, symlink, unlink } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { workspaceFileExtension, type ShownFolders, type WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { log } from '../base/log/log.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { relativeInside } from '../base/workspaceRoots.ts'
import { writeAtomically } from '../base/writeAtomically.ts'
import {
  addFolderEntries,
  moveWorkspaceText,
  newWorkspaceText,
  readFolderEntries,
  removeFolderEntries,
  type FolderEntry,
} from './workspaceFile.ts'

/*
 * The links of a workspace are in `<links>/<id>/`. Beside this folder are its record, `<id>.json`, and the file of a
 * workspace that the user has not saved, `<id>.code-workspace`. The record of another names its file, so a workspace can
 * also be opened by the folder.
 */

/** A multi-root workspace, opened from its file. */
export interface MultiRoot {
  /** Real path of the folder with the links. */
  root: string
  /** Folders that exist. None is inside another. */
  folders: readonly WorkspaceFolder[]
  /** Real path of the `.code-workspace` file. */
  file: string
  /** Whether the user has not saved the workspace, so that the file is one of Tizona. */
  untitled: boolean
  /** The folders as the file names them. */
  entries: readonly FolderEntry[]
  /** Folders of the file that are not shown, each with the reason. */
  missing: string[]
  /** Names that the folders had before, each with the present one. */
  renamed: Readonly<Record<string, string>>
  /** What had these folders before: each of them alone, and workspaces that were saved as this one. */
  earlier: readonly ShownFolders[]
}

/** Maximum bytes of a `.code-workspace` file. */
const maxBytes = 1024 * 1024
/** Maximum number of remembered names. */
const maxNames = 1000
const recordSchema = z.object({
  /** The file of a workspace that the user has saved. */
  file: z.string().optional(),
  /**
   * Real path of each folder by its name, even after it was removed: checkpoints, reviews and conversations contain
   * paths that begin with the name, so it never means another folder.
   */
  names: z.record(z.string(), z.string()).default({}),
  /** Roots of workspaces that were saved as this one. */
  earlier: z.array(z.string()).default([]),
})
type WorkspaceRecord = z.output<typeof recordSchema>
const emptyRecord: WorkspaceRecord = { names: {}, earlier: [] }
/** Maximum number of remembered workspaces that were saved as one. */
const maxEarlier = 20

/** Whether a path is a `.code-workspace` file, or a folder with the links of a workspace. @param links see above */
export async function isMultiRoot(candidate: string, links: string): Promise<boolean> {
  if (await isLinkFolder(candidate, links)) return true
  if (path.extname(candidate).toLowerCase() !== workspaceFileExtension) return false
  return (await stat(candidate).catch(() => undefined))?.isFile() === true
}

async function isLinkFolder(candidate: string, links: string): Promise<boolean> {
  return path.dirname(candidate) === links || path.dirname(candidate) === (await realpath(links).catch(() => undefined))
}

/**
 * Opens the folders of a workspace, and links them in one folder.
 * @param candidate see `isMultiRoot`
 * @param openFolder checks a folder and returns its real path
 * @throws ToolError `not_found` if no folder can be opened; `invalid_arguments`, `too_large`
 */
export async function openMultiRoot(
  candidate: string,
  links: string,
  openFolder: (folder: string) => Promise<{ root: string }>,
): Promise<MultiRoot> {
  const { file, id, untitled } = await locate(candidate, links)
  const entries = await readEntries(file)
  const missing: string[] = []
  const found: WorkspaceFolder[] = []
  for (const { path: folder, name } of entries) {
    if (folder === null) {
      missing.push(`${name}: The entry names no folder on this machine.`)
      continue
    }
    try {
      found.push({ name, path: (await openFolder(folder)).root })
    } catch (error) {
      missing.push(`${name}: ${toFailure(error).message}`)
    }
  }
  const folders = found.filter((folder, index) => {
    const outer = found.find((other, at) => {
      const inside = other === folder ? null : relativeInside(other.path, folder.path)
      return inside !== null && (inside !== '.' || at < index)
    })
    if (outer) missing.push(`${folder.name}: It is shown in ${outer.name}, which contains it.`)
    return outer === undefined
  })
  if (folders.length === 0)
    throw new ToolError(
      'not_found',
      `No folder of the workspace "${file}" can be opened.${missing.map((each) => `\n${each}`).join('')}`,
      'Correct its list of folders, or open a folder.',
    )
  const record = (await recordOf(path.join(links, `${id}.json`))) ?? emptyRecord
  // The links hold the names too, for a record that was lost.
  const named = withLastingNames(folders, { ...(await linkedNames(path.join(links, id))), ...record.names })
  const root = await linkFolders(path.join(links, id), named)
  const names = Object.fromEntries(
    [...Object.entries(record.names), ...named.map((each) => [each.name, each.path] as const)].slice(-maxNames),
  )
  const { earlier } = record
  const renamed = Object.entries(record.names).flatMap(([name, folder]) => {
    const now = named.find((each) => each.path === folder)?.name
    return now === undefined || now === name ? [] : [[name, now] as const]
  })
  await writeRecord(`${root}.json`, record, { ...(!untitled && { file }), names, earlier })
  const before = await Promise.all(earlier.map(foldersOfRecord))
  return {
    root,
    folders: named,
    file,
    untitled,
    entries,
    missing,
    renamed: Object.fromEntries(renamed),
    earlier: [...named.map((folder) => ({ root: folder.path })), ...before],
  }
}

/** Returns the folders that a workspace has had. @param root the folder with its links */
async function foldersOfRecord(root: string): Promise<ShownFolders> {
  const names = { ...(await linkedNames(root)), ...(await recordOf(`${root}.json`))?.names }
  const folders = Object.entries(names).map(([name, folder]) => ({ name, path: folder }))
  return { root, multiRoot: { folders, file: null } }
}

async function linkedNames(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder).catch((): string[] => [])
  const targets = await Promise.all(
    names.map(async (name) => [name, await readlink(path.join(folder, name)).catch(() => '')] as const),
  )
  return Object.fromEntries(targets.filter(([, target]) => target !== ''))
}

/** Returns the folders with names that never meant another folder. @param names see `recordSchema` */
function withLastingNames(
  folders: readonly WorkspaceFolder[],
  names: Readonly<Record<string, string>>,
): WorkspaceFolder[] {
  const wanted = new Set(folders.map(({ name }) => name))
  return folders.map(({ name, path: folder }) => {
    if (!Object.hasOwn(names, name) || names[name] === folder) return { name, path: folder }
    const earlier = Object.keys(names).find((each) => names[each] === folder && !wanted.has(each))
    let free = earlier
    for (let number = 2; free === undefined; number++) {
      const candidate = `${name}-${number}`
      if (!Object.hasOwn(names, candidate) && !wanted.has(candidate)) free = candidate
    }
    wanted.add(free)
    return { name: free, path: folder }
  })
}

async function writeRecord(path: string, before: WorkspaceRecord, now: WorkspaceRecord): Promise<void> {
  const text = JSON.stringify(now)
  const { file, names, earlier } = before
  if (text !== JSON.stringify({ ...(file !== undefined && { file }), names, earlier }))
    await writeAtomically(path, `${text}\n`)
}

async function locate(
  candidate: string,
  links: string,
): Promise<Pick<MultiRoot, 'file' | 'untitled'> & { id: string }> {
  if (!(await isLinkFolder(candidate, links)))
    return ofFile(
      await realpath(candidate).catch((error: unknown) => Promise.reject(notOpened(error, candidate))),
      links,
    )
  const id = path.basename(candidate, workspaceFileExtension)
  const untitled = path.join(links, `${id}${workspaceFileExtension}`)
  const record = await recordOf(path.join(links, `${id}.json`))
  if (record?.file === undefined && (await stat(untitled).catch(() => undefined)))
    return { file: untitled, id, untitled: true }
  if (record?.file === undefined)
    throw new ToolError('not_found', 'This workspace no longer exists.', 'Open its folders, or another workspace file.')
  return ofFile(record.file, links)
}

/** The identity of a file: the one that a record has, so that a workspace stays the same when it is first saved. */
async function ofFile(file: string, links: string): Promise<Pick<MultiRoot, 'file' | 'untitled'> & { id: string }> {
  for (const name of (await readdir(links).catch((): string[] => [])).filter((each) => each.endsWith('.json')))
    if ((await recordOf(path.join(links, name)))?.file === file)
      return { file, id: path.basename(name, '.json'), untitled: false }
  return { file, id: idOfHash(file), untitled: false }
}

const idOfHash = (file: string): string => createHash('sha256').update(file).digest('hex').slice(0, 16)

async function recordOf(record: string): Promise<WorkspaceRecord | undefined> {
  return recordSchema.safeParse(parseLooseJson(await readFile(record, 'utf8').catch(() => ''))).data
}

/** Reads the folders of a workspace's file. @throws ToolError */
export async function readEntries(file: string): Promise<FolderEntry[]> {
  return readFolderEntries(await readText(file), file)
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > maxBytes)
      throw new ToolError('too_large', `"${file}" is larger than 1 MB.`, 'Open a folder, or another workspace file.')
    return await readFile(file, 'utf8')
  } catch (error) {
    throw notOpened(error, file)
  }
}

const notOpened = (error: unknown, file: string): unknown =>
  fileError(error, `The workspace "${file}" could not be opened.`)

/** Makes the links be those of the folders. Other windows of the workspace make the same ones. @returns the real path */
async function linkFolders(folder: string, folders: readonly WorkspaceFolder[]): Promise<string> {
  await makeFolder(folder)
  const root = await realpath(folder)
  await setWritable(root, true)
  for (const name of await readdir(folder)) {
    const target = await readlink(path.join(folder, name)).catch(() => undefined)
    const wanted = folders.find((each) => each.name === name)?.path
    // A name that is not used now stays: another window may show the folder.
    if (target !== undefined && wanted !== undefined && path.resolve(target) !== wanted)
      await unlink(path.join(folder, name)).catch(unlessCode('ENOENT'))
  }
  // A junction needs no rights on Windows; elsewhere the type is ignored.
  for (const { name, path: target } of folders)
    await symlink(target, path.join(folder, name), 'junction').catch(unlessCode('EEXIST'))
  users.set(root, (users.get(root) ?? 0) + 1)
  await setWritable(root, false)
  return root
}

/** Number of times each folder with links is open in this process. */
const users = new Map<string, number>()

/**
 * Makes a folder with links writable again when the last window of this process closes the workspace, so that it can be
 * deleted.
 */
export async function releaseLinks(root: string): Promise<void> {
  const left = (users.get(root) ?? 1) - 1
  if (left > 0) return void users.set(root, left)
  users.delete(root)
  await setWritable(root, true)
}

/**
 * While a workspace is open, programs that start in the folder with its links cannot write beside them, where nobody
 * would look for the files. Best effort: the folder may belong to another user, and root writes anyway.
 */
async function setWritable(root: string, isWritable: boolean): Promise<void> {
  await chmod(root, isWritable ? 0o700 : 0o500).catch((error: unknown) =>
    log.debug(`The rights of ${root} could not be changed. ${toFailure(error).message}`),
  )
}

/** Returns what programs have written beside the links. */
export async function besideLinks(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true })
  return entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => name)
}

function unlessCode(code: string) {
  return (error: unknown): void => {
    if (errorCode(error) !== code) throw error
  }
}

/**
 * Adds folders to the workspace's file. A single folder becomes the first one of an unsaved workspace.
 * @param folders real paths
 * @returns the path of the workspace, to be opened
 * @throws ToolError `already_exists` if all of them are in it
 */
export async function addFolders(
  { root, multiRoot }: { root: string; multiRoot?: MultiRoot | undefined },
  folders: readonly string[],
  links: string,
): Promise<string> {
  const present = multiRoot ? multiRoot.folders.map((folder) => folder.path) : [root]
  const added = [...new Set(folders)].filter((folder) => !present.some((each) => relativeInside(each, folder) !== null))
  if (added.length === 0)
    throw new ToolError('already_exists', 'The workspace already contains the folder.', 'Choose another one.')
  if (!multiRoot) {
    await makeFolder(links)
    const file = path.join(links, `${randomUUID().slice(0, 8)}${workspaceFileExtension}`)
    await writeAtomically(file, newWorkspaceText(file, [root, ...added]))
    return file
  }
  await rewrite(multiRoot, (text) => addFolderEntries(text, multiRoot.file, added))
  return multiRoot.file
}

/**
 * Removes a folder from the workspace's file, with entries that lead to the same folder.
 * @throws ToolError `not_found`; `refused` for the only folder
 */
export async function removeFolder(multiRoot: MultiRoot, name: string): Promise<void> {
  const removed = multiRoot.folders.find((folder) => folder.name === name)
  if (!removed)
    throw new ToolError('not_found', `The workspace has no folder "${name}".`, 'Reload the window, and try again.')
  if (multiRoot.folders.length === 1)
    throw new ToolError('refused', `"${name}" is the only folder of the workspace.`, 'Close the workspace instead.')
  const text = await readText(multiRoot.file)
  const indexes: number[] = []
  for (const [index, entry] of readFolderEntries(text, multiRoot.file).entries())
    if (entry.path !== null && (await realpath(entry.path).catch(() => entry.path)) === removed.path)
      indexes.push(index)
  await rewrite(multiRoot, (now) => removeFolderEntries(now, indexes))
}

/**
 * Writes the workspace to another file. An unsaved workspace keeps its conversations and tabs.
 * @param target absolute; the extension is added
 * @returns the path of the new file
 * @throws ToolError `already_exists` unless `overwrite`
 */
export async function saveWorkspaceAs(multiRoot: MultiRoot, target: string, overwrite: boolean): Promise<string> {
  const named = target.toLowerCase().endsWith(workspaceFileExtension) ? target : `${target}${workspaceFileExtension}`
  if (!path.isAbsolute(named))
    throw new ToolError('invalid_path', `"${target}" is not an absolute path.`, 'Name the folder, too.')
  try {
    const file = await realpath(named).catch(async () =>
      path.join(await realpath(path.dirname(named)), path.basename(named)),
    )
    if (file === multiRoot.file) return file
    if (!overwrite && (await stat(file).catch(() => undefined)))
      throw new ToolError('already_exists', `"${file}" already exists.`, 'Choose another name, or replace it.')
    const mode = (await stat(file).catch(() => undefined))?.mode ?? 0o666 & ~process.umask()
    await writeAtomically(file, moveWorkspaceText(await readText(multiRoot.file), multiRoot.file, file), mode & 0o777)
    const links = path.dirname(multiRoot.root)
    const { id } = await ofFile(file, links)
    const own = (await recordOf(`${multiRoot.root}.json`)) ?? emptyRecord
    if (multiRoot.untitled && id === idOfHash(file)) {
      await writeAtomically(`${multiRoot.root}.json`, `${JSON.stringify({ ...own, file })}\n`)
      await rm(multiRoot.file, { force: true })
      return file
    }
    const record = path.join(links, `${id}.json`)
    const before = (await recordOf(record)) ?? { ...emptyRecord, names: own.names }
    const earlier = [...new Set([...before.earlier, ...own.earlier, multiRoot.root])]
      .filter((root) => root !== path.join(links, id))
      .slice(-maxEarlier)
    await writeRecord(record, before, { file, names: before.names, earlier })
    return file
  } catch (error) {
    throw fileError(error, `The workspace could not be saved as "${named}".`)
  }
}

async function rewrite({ file }: MultiRoot, change: (text: string) => string): Promise<void> {
  try {
    await writeAtomically(file, change(await readText(file)), (await stat(file)).mode & 0o777)
  } catch (error) {
    throw fileError(error, `The workspace file "${file}" could not be changed.`)
  }
}
