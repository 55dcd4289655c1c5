import path from 'node:path'
import type { Place } from './placeholderRecord.ts'
import { readSmallFile } from './readSmallFile.ts'

/**
 * Returns what a command must not create in a git folder that lacks it, with content that changes nothing: git starts
 * hooks and programs that its configuration names, and `commondir` leads it to the configuration of another folder.
 */
export async function gitPlaceholders(folder: string): Promise<Place[]> {
  const text = async (...names: string[]) => readSmallFile(path.resolve(folder, ...names))
  const common = (await text('commondir')).trim()
  // The content of a placeholder is `.`.
  const isWorktree = common !== '' && common !== '.'
  const config = await text(common, 'config')
  return [
    // Git reads this file only with the extension.
    ...(/worktreeConfig/i.test(config) ? [{ path: path.join(folder, 'config.worktree'), content: '' }] : []),
    // A worktree uses those of the common folder.
    ...(isWorktree
      ? []
      : [
          { path: path.join(folder, 'hooks') },
          { path: path.join(folder, 'config'), content: '' },
          { path: path.join(folder, 'commondir'), content: '.\n' },
        ]),
  ]
}
