import { create } from 'zustand'
import { copyName } from './copyName.ts'
import { join, nameOf } from './fileTree.ts'

/** Entries cut or copied in the explorer. */
export interface FileClipboard {
  paths: readonly string[]
  cut: boolean
}

export const emptyClipboard: FileClipboard = { paths: [], cut: false }

export const useFileClipboard = create<FileClipboard>(() => emptyClipboard)

export interface Transfer {
  from: string
  to: string
}

/**
 * Pure: plans the new paths of pasted entries. A cut entry keeps its name and stays if it is already there; a copy gets
 * an unused name.
 * @param taken existing names in the folder
 */
export function planPaste({ paths, cut }: FileClipboard, folder: string, taken: Iterable<string>): Transfer[] {
  const names = new Set(taken)
  return paths.flatMap((from) => {
    const name = nameOf(from)
    const to = join(folder, cut || !names.has(name) ? name : copyName(name, names))
    names.add(nameOf(to))
    return to === from ? [] : [{ from, to }]
  })
}
