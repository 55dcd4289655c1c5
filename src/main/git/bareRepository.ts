import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../base/errorCode.ts'

/**
 * Entries that make git take a folder for a repository, and obey its configuration and hooks (gitrepository-layout(5)).
 */
const needed = ['head', 'objects', 'refs'] as const
/** With these two, git looks for the others in the folder that `commondir` names. */
const linked = ['head', 'commondir'] as const
/** Entries that change what such a repository does. */
const effective = new Set([...needed, ...linked, 'config', 'config.worktree', 'hooks', 'info', 'worktrees', 'modules'])

/**
 * Returns a folder that is a git repository without `.git` after these writes: one that they complete, or whose
 * configuration or hooks they change. A later `git status` below it would start the programs that its configuration
 * names.
 * @param root real path of the workspace
 * @param writes paths of one call, relative to the workspace
 * @returns relative path, or undefined if there is none
 */
export async function changedBareRepository(root: string, writes: readonly string[]): Promise<string | undefined> {
  const written = new Map<string, Set<string>>()
  for (const place of writes) {
    const names = place.split('/').filter((name) => name !== '' && name !== '.')
    for (const [index, name] of names.entries()) {
      const entry = name.toLowerCase()
      if (!effective.has(entry)) continue
      const folder = names.slice(0, index).join('/')
      written.set(folder, (written.get(folder) ?? new Set()).add(entry))
    }
  }
  for (const [folder, entries] of written) {
    const present = new Set([...entries, ...(await namesIn(path.join(root, folder)))])
    if (needed.every((name) => present.has(name)) || linked.every((name) => present.has(name))) return folder || '.'
  }
  return undefined
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map((name) => name.toLowerCase())
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
