import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/fileErrors.ts'
import { decodeText } from '../base/textFormat.ts'
import type { LanguageServer } from './languageServer.ts'
import { isLibraryFile } from './libraryFolders.ts'
import { absolutePathOf } from './uris.ts'

/** A file outside the workspace named in a server's response. The window refers to it by id. */
export interface LibraryFile {
  id: string
  /** Real absolute path. */
  path: string
}

/** The library files that servers named. The window can only read these. */
export interface LibraryFiles {
  /** Adds a file. Null if it is not in a library folder of the server's languages. */
  add(uri: string, server: Pick<LanguageServer, 'definition' | 'program'>): Promise<LibraryFile | null>
  /** @throws ToolError not_found, too_large, binary_file */
  read(id: string): Promise<{ path: string; text: string }>
}

/** Maximum number of files. The oldest is forgotten. */
const maxFiles = 2000
/** Maximum size in bytes. */
const maxSize = 10 * 1024 * 1024

export function createLibraryFiles(): LibraryFiles {
  const byId = new Map<string, LibraryFile>()
  const byPath = new Map<string, LibraryFile>()

  return {
    async add(uri, server) {
      const named = absolutePathOf(uri)
      const path = named === null ? null : await realPathOf(named)
      if (path === null) return null
      const program = await realPathOf(server.program() ?? '')
      if (!isLibraryFile(path, server.definition, program)) return null
      const known = byPath.get(path)
      if (known) return known
      const added = { id: randomUUID(), path }
      byId.set(added.id, added)
      byPath.set(path, added)
      const [oldest] = byId.values()
      if (byId.size > maxFiles && oldest) {
        byId.delete(oldest.id)
        byPath.delete(oldest.path)
      }
      return added
    },
    async read(id) {
      const file = byId.get(id)
      if (!file)
        throw new ToolError('not_found', 'This library file is no longer available.', 'Go to its definition again.')
      return { path: file.path, text: await readLibraryText(file.path) }
    },
  }
}

/** Null if it does not exist. */
async function realPathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}

async function readLibraryText(path: string): Promise<string> {
  const missing = new ToolError('not_found', `${path} no longer exists.`, 'Go to its definition again.')
  // Does not follow a link that has since replaced the file or a folder, and does not block on a pipe.
  if ((await realPathOf(path)) !== path) throw missing
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error
    throw new ToolError('not_found', `${path} cannot be read (${errorCode(error)}).`)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw missing
    if (stats.size > maxSize) throw new ToolError('too_large', `${path} is larger than 10 MB and cannot be shown.`)
    return decodeText(await handle.readFile(), path).text
  } finally {
    await handle.close()
  }
}
