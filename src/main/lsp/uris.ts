import { fileURLToPath, pathToFileURL } from 'node:url'
import { absoluteIn, relativeIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'

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

export function createUris(workspace: WorkspaceRoots, isOwnData: (relative: string) => boolean): Uris {
  return {
    uriOf: (relative) => pathToFileURL(absoluteIn(workspace, relative)).href,
    pathOf(uri) {
      const absolute = absolutePathOf(uri)
      if (absolute === null) return null
      const found = relativeIn(workspace, absolute)
      return found === null || found === '.' || isOwnData(found) ? null : found
    },
  }
}
