import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readFile, readlink, realpath, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/fileErrors.ts'
import { parseIgnoreFile, toByteString } from '../base/ignoreFile.ts'
import { descriptorPath, holdFolder, openInPlace, type HeldFolder } from '../base/heldFolder.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'
import { gitLines, type RunGit } from './sessionGit.ts'

/** Files that were copied into a session's worktree, by path relative to it, with their SHA-256. */
export const copiedFilesSchema = z.record(z.string(), z.string())
export type CopiedFiles = z.output<typeof copiedFilesSchema>

/** Name of the list of files to copy, in the root of the repository. */
const includeFile = '.worktreeinclude'

/** Arguments of git that list ignored files. A nested repository ends with a slash. */
export const listIgnored = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']

/** Returns whether the `.worktreeinclude` of a folder matches a path; undefined without this file. */
export async function readIncludeRules(folder: string): Promise<((file: string) => boolean) | undefined> {
  const list = await readUnlinkedFile(path.join(folder, includeFile))
  if (list === '') return undefined
  const rules = parseIgnoreFile(toByteString(list), false)
  return (file) => {
    const names = file.split('/').map(toByteString)
    return names.some((_, index) => rules.decides(names.slice(0, index + 1), index + 1 < names.length) === true)
  }
}

/** A list of copied files that is stored before and while files are copied. */
interface StoredList {
  read(): Promise<CopiedFiles>
  write(copied: CopiedFiles): Promise<void>
  /** Called before the first copy. */
  beforeCopies(): void
}

/**
 * Copies the files that `.worktreeinclude` matches and git ignores. Uses reflinks where the file system has them, and
 * never hard links, because a change in the worktree would change the repository's file. Overwrites nothing. Can be
 * repeated after an interruption: each file is listed before it appears.
 *
 * @returns the files that were skipped because they lead outside or exist
 */
export async function copyIncludedFiles(
  run: RunGit,
  folder: string,
  worktree: string,
  list: StoredList,
): Promise<string[]> {
  const copied = await list.read()
  const planned: string[] = []
  const skipped: string[] = []
  const isIncluded = await readIncludeRules(folder)
  if (isIncluded === undefined) return skipped
  for (const file of await gitLines(run, folder, listIgnored)) {
    if (file.endsWith('/') || !isIncluded(file)) continue
    const exists = (await lstat(path.join(worktree, file)).catch(() => undefined)) !== undefined
    const hash = exists || !(await isInside(folder, file)) ? undefined : await hashOfFile(path.join(folder, file))
    if (hash === undefined) {
      skipped.push(file)
      continue
    }
    planned.push(file)
    copied[file] = hash
  }
  await list.write(copied)
  list.beforeCopies()
  for (const file of planned) {
    const isCopied = await copyInside(folder, worktree, file, async (hash) => {
      // It has changed since it was listed.
      if (copied[file] !== hash) await list.write(Object.assign(copied, { [file]: hash }))
    })
    if (isCopied) continue
    skipped.push(file)
    delete copied[file]
    await list.write(copied)
  }
  return skipped
}

/** Whether a path is a file, or a link that stays inside the folder. */
async function isInside(folder: string, file: string): Promise<boolean> {
  const source = path.join(folder, file)
  const stats = await lstat(source).catch(() => undefined)
  if (stats === undefined || (await realpath(path.dirname(source))) !== path.dirname(source)) return false
  if (!stats.isSymbolicLink()) return stats.isFile()
  const named = await readlink(source)
  if (path.isAbsolute(named) || !isBelow(folder, path.resolve(path.dirname(source), named))) return false
  return isBelow(folder, await realpath(source).catch(() => source))
}

/**
 * Copies a file or link.
 *
 * @param willAppear called with its hash before it has its name
 * @returns whether it was copied; false if it leads outside or exists in the worktree
 */
async function copyInside(
  folder: string,
  worktree: string,
  file: string,
  willAppear: (hash: string) => Promise<void>,
): Promise<boolean> {
  const source = path.join(folder, file)
  const parent = await holdFolderIn(worktree, path.posix.dirname(file)).catch(() => undefined)
  if (parent === undefined) return false
  // An interrupted copy keeps this name, which the next one overwrites.
  const target = parent.entry(path.posix.basename(file))
  const part = `${target}.tizona-part`
  try {
    await rm(part, { force: true })
    // A program may have replaced it since it was listed.
    if (!(await isInside(folder, file))) return false
    if ((await lstat(source)).isSymbolicLink()) await symlink(await readlink(source), part)
    else await copyInPlace(source, part)
    await willAppear((await hashOfFile(part)) ?? '')
    if ((await lstat(target).catch(() => undefined)) !== undefined) return false
    await rename(part, target)
    return true
  } catch (error) {
    if (error instanceof ToolError && error.code === 'changed_on_disk') return false
    throw error
  } finally {
    await rm(part, { force: true })
    await parent.release()
  }
}

/** Copies a file that is opened first, so that a link in its place or above it is not followed. */
async function copyInPlace(source: string, target: string): Promise<void> {
  const handle = await openInPlace(source)
  try {
    await copyFile(descriptorPath(handle, source), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    // The copy of a descriptor has the permissions of the process.
    await chmod(target, (await handle.stat()).mode & 0o777)
  } finally {
    await handle.close()
  }
}

/**
 * Holds a folder inside another one, and makes what is missing of it. The commit, or a program, may have put a link in
 * the place of a folder, which could lead outside. @throws the system error for a link
 */
async function holdFolderIn(root: string, relative: string): Promise<HeldFolder> {
  let held = await holdFolder(root)
  for (const name of relative.split('/').filter((each) => each !== '.')) {
    try {
      await mkdir(held.entry(name), { mode: 0o700 }).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error
      })
      const next = await held.enter(name)
      await held.release()
      held = next
    } catch (error) {
      await held.release()
      throw error
    }
  }
  return held
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(folder + path.sep)
}

/** Returns those copied files that have changed since. A deleted copy is no work. */
export async function changedCopies(worktree: string, copied: CopiedFiles): Promise<string[]> {
  const changed: string[] = []
  for (const [file, hash] of Object.entries(copied)) {
    const now = await hashOfFile(path.join(worktree, file))
    if (now !== undefined && now !== hash) changed.push(file)
  }
  return changed
}

async function hashOfFile(file: string): Promise<string | undefined> {
  const stats = await lstat(file).catch(() => undefined)
  if (stats?.isSymbolicLink() === true) return hashOf(await readlink(file))
  return stats?.isFile() === true ? hashOf(await readFile(file)) : undefined
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
