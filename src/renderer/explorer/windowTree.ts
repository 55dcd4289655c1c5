import type { FileEntry } from '../../shared/files/files.ts'
import { request } from '../platform/bridge/bridge.ts'
import { createTree, parentOf, useTree } from './fileTree.ts'

/** The file tree of this window. */
export const tree = createTree(request)

/** Entry at a path; undefined if its folder is not loaded. */
export function entryOf(path: string | null): FileEntry | undefined {
  return path === null
    ? undefined
    : useTree.getState().folders[parentOf(path)]?.entries.find((entry) => entry.path === path)
}
