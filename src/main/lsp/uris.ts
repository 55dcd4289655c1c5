import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Converts between paths relative to the workspace and the URIs of servers. */
export interface Uris {
  uriOf(relative: string): string
  /** Returns null for everything outside the workspace. */
  pathOf(uri: string): string | null
}

/** @param root real path of the workspace */
export function createUris(root: string, isOwnData: (relative: string) => boolean): Uris {
  return {
    uriOf: (relative) => pathToFileURL(path.join(root, relative)).href,
    pathOf(uri) {
      let absolute: string
      try {
        absolute = fileURLToPath(uri)
      } catch (error) {
        // Not a file, or not a URI.
        if (error instanceof TypeError) return null
        throw error
      }
      const relative = path.relative(root, absolute)
      if (relative === '' || path.isAbsolute(relative) || relative.split(path.sep)[0] === '..') return null
      const found = relative.split(path.sep).join('/')
      return isOwnData(found) ? null : found
    },
  }
}
