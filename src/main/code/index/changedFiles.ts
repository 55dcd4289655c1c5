import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { unverifiedTime } from './indexCopy.ts'
import { maxFileSize } from './indexLimits.ts'
import type { IndexStore } from './indexStore.ts'
import { languageOf } from './languages.ts'

/** A file to read, with its approximate size in bytes. */
export interface ListedFile {
  path: string
  bytes: number
}

/** Files to read. */
export interface ChangedFiles {
  /** Files of a copied index that have the same size, so that their texts probably are the same too. */
  unverified: ListedFile[]
  changed: ListedFile[]
}

/** Number of files checked between two requests. */
const maxCheckedFiles = 500
/** Limits of a chunk: number of files, and bytes on disk. */
const maxChunkFiles = 50
const maxChunkBytes = 256 * 1024

/**
 * Returns the files that differ from the index by size or time, yielding to requests.
 * @param isCurrent whether the list is still needed
 * @param onUnchanged receives the number of unchanged files in increments
 */
export async function findChangedFiles(
  workspace: WorkspaceRoots,
  store: IndexStore,
  list: readonly string[],
  isCurrent: () => boolean,
  onUnchanged: (count: number) => void,
): Promise<ChangedFiles> {
  const unverified: ListedFile[] = []
  const changed: ListedFile[] = []
  for (let from = 0; from < list.length && isCurrent(); from += maxCheckedFiles) {
    const part = list.slice(from, from + maxCheckedFiles)
    const before = changed.length + unverified.length
    for (const place of part) {
      const found = fileStat(absoluteIn(workspace, place))
      const known = store.file(place)
      if (found && known?.size === found.size && known.mtime === found.mtimeMs) continue
      const isProbablySame = known?.mtime === unverifiedTime && known.size === found?.size
      const files = isProbablySame ? unverified : changed
      files.push({ path: place, bytes: Math.min(found?.size ?? 0, maxFileSize) })
    }
    onUnchanged(part.length - (changed.length + unverified.length - before))
    await nextTurn()
  }
  return { unverified, changed }
}

function fileStat(absolute: string): { size: number; mtimeMs: number } | undefined {
  try {
    return statSync(absolute, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/**
 * Splits files into chunks that are read together. Files of rare languages come last, grouped by language, because
 * every thread that reads a language first prepares its tag query. The others keep their order, in which they are
 * stored.
 */
export function chunksOf(changed: readonly ListedFile[]): ListedFile[][] {
  const byLanguage = Map.groupBy(changed, ({ path: place }) => languageOf(place)?.id)
  const isRare = (file: ListedFile): boolean =>
    (byLanguage.get(languageOf(file.path)?.id)?.length ?? 0) <= maxChunkFiles
  const rare = [...byLanguage.values()].filter(({ length }) => length <= maxChunkFiles).flat()
  const chunks: ListedFile[][] = []
  let bytes = Infinity
  for (const file of [...changed.filter((one) => !isRare(one)), ...rare]) {
    const last = chunks.at(-1)
    if (last && last.length < maxChunkFiles && bytes + file.bytes <= maxChunkBytes) {
      last.push(file)
      bytes += file.bytes
    } else {
      chunks.push([file])
      bytes = file.bytes
    }
  }
  return chunks
}
