import { lstat, mkdir, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { Sequencer } from '../../../shared/sequencer.ts'
import type { Mount } from './bubblewrapArguments.ts'
import { createPlaceholderRecord, sweepPlaceholders } from './placeholderRecord.ts'

/**
 * Protected places in the root of a workspace that a command must not create: programs start what is in them when the user
 * opens the folder or runs git there.
 */
const places: readonly string[] = [
  '.git',
  '.tizona',
  '.vscode',
  '.idea',
  '.zed',
  '.husky',
  '.claude',
  '.cursor',
  '.devcontainer',
  '.cargo',
  '.mcp.json',
  '.envrc',
  '.npmrc',
]

interface Placeholder {
  folder: string
  inode: number
  users: number
}

/**
 * Empty folders that the sandbox covers with read-only mounts, because a mount needs something to cover. Folders also for
 * what is usually a file: git ignores empty folders, but lists every other entry as untracked.
 */
export interface Placeholders {
  /**
   * Creates the missing ones in a workspace. @returns their mounts, and a function that removes those that no other command
   * uses
   */
  cover(root: string): Promise<{ mounts: Mount[]; release(): Promise<void> }>
}

/**
 * Removes those that a killed process left, then creates some on demand.
 * @param records folder for the record of the existing ones
 */
export function createPlaceholders(records: string): Placeholders {
  const held = new Map<string, Placeholder>()
  const changes = new Sequencer()
  const record = createPlaceholderRecord(records)
  void changes.queue(() => sweepPlaceholders(records))

  async function hold(folder: string): Promise<Placeholder | undefined> {
    const known = held.get(folder)
    if (known !== undefined) {
      known.users += 1
      return known
    }
    try {
      await mkdir(folder)
    } catch {
      return undefined // it exists, or the workspace cannot be written
    }
    const placeholder = { folder, inode: (await lstat(folder)).ino, users: 1 }
    held.set(folder, placeholder)
    return placeholder
  }

  async function release(placeholder: Placeholder): Promise<void> {
    const { folder, inode } = placeholder
    placeholder.users -= 1
    if (placeholder.users > 0) return
    held.delete(folder)
    const now = await lstat(folder).catch(() => undefined)
    // Something that replaced it stays, and so does a folder that something outside the sandbox has filled.
    if (now?.ino === inode) await rmdir(folder).catch(() => undefined)
  }

  return {
    cover: (root) =>
      changes.queue(async () => {
        const covered: Placeholder[] = []
        const folders = places.map((name) => path.join(root, name))
        const missing = await Promise.all(folders.map(isMissing))
        await record.write([...new Set([...held.keys(), ...folders.filter((_, index) => missing[index])])])
        for (const folder of folders) {
          const placeholder = await hold(folder)
          if (placeholder !== undefined) covered.push(placeholder)
        }
        let released = false
        return {
          mounts: covered.map(({ folder }) => ({ kind: 'emptyFolder', path: folder })),
          release: () =>
            changes.queue(async () => {
              if (released) return
              released = true
              for (const placeholder of covered) await release(placeholder)
              await record.write([...held.keys()])
            }),
        }
      }),
  }
}

async function isMissing(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) === undefined
}
