import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Converts between workspace paths and the URIs of servers. */
export interface Uris {
  uriOf(relative: string): string
  /** Returns null for everything outside the workspace. */
  pathOf(uri: string): string | null
}

/** Returns the absolute path of a URI; null if it is not a file URI. */
export function absolutePathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** @param root real path of the workspace */
export function createUris(root: string, isOwnData: (relative: string) => boolean): Uris {
  return {
    uriOf: (relative) => pathToFileURL(path.join(root, relative)).href,
    pathOf(uri) {
      const absolute = absolutePathOf(uri)
      if (absolute === null) return null
      const relative = path.relative(root, absolute)
      if (relative === '' || path.isAbsolute(relative) || relative.split(path.sep)[0] === '..') return null
      const found = relative.split(path.sep).join('/')
      return isOwnData(found) ? null : found
    },
  }
}
