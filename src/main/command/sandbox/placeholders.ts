import { lstat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { inFolder } from '../../base/heldFolder.ts'
import { makePlaceholder, placeholderNames } from '../../base/placeholderFolder.ts'
import { createPlaceholderRecord, removePlaceholder, sweepPlaceholders, type CoveredPath } from './placeholderRecord.ts'
import { readUnlinkedFile } from '../../base/unlinkedFile.ts'
import type { Mount } from './bubblewrapArguments.ts'

interface Placeholder {
  place: CoveredPath
  inode: number
  users: number
}

/**
 * Entries that the sandbox covers with read-only mounts, because a mount needs an existing target. In a workspace they
 * are empty folders, even in place of a file: git ignores empty folders, but lists every other entry as untracked.
 * Other programs see them; docs/security.md explains why that is unavoidable. Tizona itself hides them
 * (base/placeholderFolder.ts).
 */
export interface Placeholders {
  /**
   * Creates the placeholders that the folders of a workspace lack.
   * @returns their mounts, and a function that removes those that no other command uses
   * @param others additional placeholders, which may exist
   */
  cover(
    folders: readonly string[],
    others?: readonly CoveredPath[],
  ): Promise<{ mounts: Mount[]; release(): Promise<void> }>
}

/**
 * Creates placeholders on demand, after removing those of killed processes.
 * @param records folder for the records of existing placeholders, of all workspaces
 */
export function createPlaceholders(records: string): Placeholders {
  const held = new Map<string, Placeholder>()
  const changes = new Sequencer()
  const record = createPlaceholderRecord(records)
  void changes.queue(() => sweepPlaceholders(records))

  async function hold(place: CoveredPath): Promise<Placeholder | undefined> {
    const known = held.get(place.path)
    if (known !== undefined) {
      known.users += 1
      return known
    }
    try {
      // A running command could replace the folder by a link to the outside.
      const inode = await inFolder(place.path, async (entry) => {
        if (place.content === undefined) makePlaceholder(entry)
        else await writeFile(entry, place.content, { flag: 'wx' })
        return (await lstat(entry)).ino
      })
      const placeholder = { place, inode, users: 1 }
      held.set(place.path, placeholder)
      return placeholder
    } catch {
      return undefined // it exists, or its folder cannot be written
    }
  }

  async function release(placeholder: Placeholder): Promise<void> {
    const { place, inode } = placeholder
    placeholder.users -= 1
    if (placeholder.users > 0) return
    held.delete(place.path)
    // Keeps whatever replaced it, and a folder that something outside the sandbox has filled.
    await removePlaceholder(place, inode)
  }

  const heldPlaces = () => [...held.values()].map(({ place }) => place)

  return {
    cover: (folders, others = []) =>
      changes.queue(async () => {
        const covered: Placeholder[] = []
        const wanted: CoveredPath[] = [
          ...folders.flatMap((folder) => [...placeholderNames].map((name) => ({ path: path.join(folder, name) }))),
          ...others,
        ]
        const missing = await Promise.all(wanted.map((place) => isMissing(place.path)))
        const created = wanted.filter((place, index) => missing[index] && !held.has(place.path))
        await record.write([...heldPlaces(), ...created])
        for (const place of wanted) {
          const placeholder = await hold(place)
          if (placeholder !== undefined) covered.push(placeholder)
        }
        let released = false
        return {
          mounts: covered.map(({ place }) =>
            place.content === undefined
              ? { kind: 'emptyFolder', path: place.path }
              : { kind: 'readOnly', path: place.path },
          ),
          release: () =>
            changes.queue(async () => {
              if (released) return
              released = true
              for (const placeholder of covered) await release(placeholder)
              await record.write(heldPlaces())
            }),
        }
      }),
  }
}

async function isMissing(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) === undefined
}

/**
 * Returns what a command must not create in a git folder that lacks it, with content that changes nothing: git runs
 * hooks and programs named in its configuration, and `commondir` points it to another folder's configuration.
 */
export async function gitPlaceholders(folder: string): Promise<CoveredPath[]> {
  const text = async (...names: string[]) => readUnlinkedFile(path.resolve(folder, ...names))
  const common = (await text('commondir')).trim()
  // A placeholder's content is `.`.
  const isWorktree = common !== '' && common !== '.'
  const config = await text(common, 'config')
  return [
    // Git reads this file only if the extension is enabled.
    ...(/worktreeConfig/i.test(config) ? [{ path: path.join(folder, 'config.worktree'), content: '' }] : []),
    // A worktree uses the files of the common folder.
    ...(isWorktree
      ? []
      : [
          { path: path.join(folder, 'hooks') },
          { path: path.join(folder, 'config'), content: '' },
          { path: path.join(folder, 'commondir'), content: '.\n' },
        ]),
  ]
}
