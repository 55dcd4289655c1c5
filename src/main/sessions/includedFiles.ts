import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, readFile, readlink, realpath, symlink } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { errorCode } from '../base/fileErrors.ts'
import { parseIgnoreFile, toByteString } from '../base/ignoreFile.ts'
import { makeFolder } from '../base/makeFolder.ts'
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

/**
 * Copies the files that `.worktreeinclude` matches and git ignores. Uses reflinks where the file system has them, and
 * never hard links, because a change in the worktree would change the repository's file. Overwrites nothing.
 *
 * @returns the copied files, and those that were skipped because they lead outside
 */
export async function copyIncludedFiles(
  run: RunGit,
  folder: string,
  worktree: string,
): Promise<{ copied: CopiedFiles; skipped: string[] }> {
  const copied: CopiedFiles = {}
  const skipped: string[] = []
  const isIncluded = await readIncludeRules(folder)
  if (isIncluded === undefined) return { copied, skipped }
  for (const file of await gitLines(run, folder, listIgnored)) {
    if (file.endsWith('/') || !isIncluded(file)) continue
    const hash = await copyInside(folder, worktree, file)
    if (hash === undefined) skipped.push(file)
    else copied[file] = hash
  }
  return { copied, skipped }
}

/** Copies a file or link. @returns its hash; undefined if it leads outside, exists in the worktree, or is no file */
async function copyInside(folder: string, worktree: string, file: string): Promise<string | undefined> {
  const source = path.join(folder, file)
  const target = path.join(worktree, file)
  const stats = await lstat(source).catch(() => undefined)
  if (stats === undefined || (await realpath(path.dirname(source))) !== path.dirname(source)) return undefined
  if (!stats.isFile() && !stats.isSymbolicLink()) return undefined
  // A folder that the commit replaces by a link could lead outside.
  await makeFolder(path.dirname(target)).catch(() => undefined)
  if ((await realpath(path.dirname(target)).catch(() => undefined)) !== path.dirname(target)) return undefined
  try {
    if (stats.isSymbolicLink()) {
      const named = await readlink(source)
      if (path.isAbsolute(named) || !isBelow(folder, path.resolve(path.dirname(source), named))) return undefined
      const real = await realpath(source).catch(() => source)
      if (!isBelow(folder, real)) return undefined
      await symlink(named, target)
      return hashOf(named)
    }
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return await hashOfFile(target)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
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
