import { lstat, mkdir, open, rmdir, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Mount } from './bubblewrapArguments.ts'

/**
 * Protected places in the root of a workspace that a command must not create: programs start what is in them when the user
 * opens the folder or runs git there.
 */
const places: readonly { name: string; kind: 'folder' | 'file' }[] = [
  { name: '.git', kind: 'folder' },
  { name: '.tizona', kind: 'folder' },
  { name: '.vscode', kind: 'folder' },
  { name: '.idea', kind: 'folder' },
  { name: '.zed', kind: 'folder' },
  { name: '.husky', kind: 'folder' },
  { name: '.claude', kind: 'folder' },
  { name: '.cursor', kind: 'folder' },
  { name: '.devcontainer', kind: 'folder' },
  { name: '.cargo', kind: 'folder' },
  { name: '.mcp.json', kind: 'file' },
  { name: '.envrc', kind: 'file' },
  { name: '.npmrc', kind: 'file' },
]

interface Placeholder {
  file: string
  kind: 'folder' | 'file'
  inode: number
  users: number
}

/** Empty files and folders that the sandbox covers with read-only mounts, because a mount needs something to cover. */
export interface Placeholders {
  /**
   * Creates the missing ones in a workspace. @returns their mounts, and a function that removes those that no other command
   * uses
   */
  cover(root: string): Promise<{ mounts: Mount[]; release(): Promise<void> }>
}

export function createPlaceholders(): Placeholders {
  const held = new Map<string, Placeholder>()
  /** Creating and removing run one after the other. */
  let last: Promise<unknown> = Promise.resolve()
  function queue<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }

  async function hold(file: string, kind: Placeholder['kind']): Promise<Placeholder | undefined> {
    const known = held.get(file)
    if (known !== undefined) {
      known.users += 1
      return known
    }
    try {
      if (kind === 'folder') await mkdir(file)
      else await (await open(file, 'wx')).close()
    } catch {
      return undefined // it exists, or the folder cannot be written
    }
    const placeholder = { file, kind, inode: (await lstat(file)).ino, users: 1 }
    held.set(file, placeholder)
    return placeholder
  }

  async function release(placeholder: Placeholder): Promise<void> {
    placeholder.users -= 1
    if (placeholder.users > 0) return
    held.delete(placeholder.file)
    const now = await lstat(placeholder.file).catch(() => undefined)
    // Something that replaced it, or that was written to from outside, stays.
    if (now?.ino !== placeholder.inode || (placeholder.kind === 'file' && now.size > 0)) return
    await (placeholder.kind === 'folder' ? rmdir : unlink)(placeholder.file).catch(() => undefined)
  }

  return {
    cover: (root) =>
      queue(async () => {
        const covered: Placeholder[] = []
        for (const { name, kind } of places) {
          const placeholder = await hold(path.join(root, name), kind)
          if (placeholder !== undefined) covered.push(placeholder)
        }
        let released = false
        return {
          mounts: covered.map(({ file, kind }) => ({
            kind: kind === 'folder' ? ('emptyFolder' as const) : ('hiddenFile' as const),
            path: file,
          })),
          release: () =>
            queue(async () => {
              if (released) return
              released = true
              for (const placeholder of covered) await release(placeholder)
            }),
        }
      }),
  }
}
