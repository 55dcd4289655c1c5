import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import type { Effect } from '../operations.ts'
import { conversionFailure, guarded } from './guarded.ts'
import { config } from './host.ts'

/** Whether the trash works. It does not on a full disk or a disk without a trash. */
let trashWorks = true

export function setTrash(works: boolean): void {
  trashWorks = works
}

/** External effects of the application, in order. */
export const effects: Effect[] = []

export const shell = guarded('shell', {
  async openExternal(url: string): Promise<void> {
    if (typeof url !== 'string' || URL.parse(url) === null) throw conversionFailure(0)
    effects.push({ kind: 'openExternal', url })
  },
  async openPath(path: string): Promise<string> {
    effects.push({ kind: 'openPath', path })
    return existsSync(path) ? '' : 'Failed to open path'
  },
  showItemInFolder(path: string): void {
    if (typeof path !== 'string') throw conversionFailure(0)
    effects.push({ kind: 'showItemInFolder', path })
  },
  /** Moves the file to the trash folder of the harness. */
  async trashItem(path: string): Promise<void> {
    if (typeof path !== 'string') throw conversionFailure(0)
    if (!isAbsolute(path)) throw new Error('Failed to parse path')
    if (!trashWorks) throw new Error('Failed to move item to trash')
    const trash = join(config.state, 'trash')
    await mkdir(trash, { recursive: true })
    await rename(path, join(trash, `${effects.length}-${basename(path)}`)).catch((error: unknown) => {
      throw new Error('Failed to move item to trash', { cause: error })
    })
    effects.push({ kind: 'trashItem', path })
  },
  beep(): void {},
})
