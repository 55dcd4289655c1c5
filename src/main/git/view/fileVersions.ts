import { createHash } from 'node:crypto'
import { readlink } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { maxGitTextBytes, toWorkspacePath, type GitFileVersion, type GitVersion } from '../../../shared/git/git.ts'
import { openInPlace } from '../../base/heldFolder.ts'
import { fileError } from '../../base/fileErrors.ts'
import type { Workspace } from '../../workspace/containment.ts'
import type { DecodedText } from '../../base/textFormat.ts'
import { encodeGitText } from '../gitText.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit } from './gitFailures.ts'
import { commitArgument } from './names.ts'
import type { UsedRepository } from './repositories.ts'

/** A blob. `content` is null if it exceeds the limit. */
export interface Blob {
  id: string
  size: number
  content: Buffer | null
}

export interface FileVersions {
  /** Returns a file's content in a version. Versions at HEAD and in the index are cached until one of them changes. */
  fileAt(repository: UsedRepository, path: string, version: GitVersion, signal: AbortSignal): Promise<GitFileVersion>
  /** Returns a blob from the index or a commit; null if there is none. @param object such as `:0:a.txt` */
  blob(found: FoundRepository, object: string, signal: AbortSignal): Promise<Blob | null>
  /**
   * Reads a file from disk; null if there is none.
   * @throws ToolError `outside_workspace`, `is_directory`, `too_large`
   */
  working(found: FoundRepository, path: string): Promise<{ content: Buffer; mode: number; link: boolean } | null>
}

interface FileVersionsDeps {
  access: GitAccess
  workspace: Workspace
  /** @throws ToolError `binary_file`, `invalid_encoding` */
  decode(content: Buffer, name: string): DecodedText
}

/** Maximum number and total UTF-16 units of cached texts. */
const maxCached = 100
const maxCachedLength = 20_000_000

export function createFileVersions({ access, workspace, decode }: FileVersionsDeps): FileVersions {
  const cache = new Map<string, GitFileVersion>()
  let cachedLength = 0
  const lengthOf = (version: GitFileVersion) => (version.kind === 'text' ? version.text.length : 0)

  function remember(key: string, version: GitFileVersion): void {
    cache.set(key, version)
    cachedLength += lengthOf(version)
    for (const [oldest, entry] of cache) {
      if (cache.size <= maxCached && cachedLength <= maxCachedLength) break
      cache.delete(oldest)
      cachedLength -= lengthOf(entry)
    }
  }

  async function blob(found: FoundRepository, object: string, signal: AbortSignal): Promise<Blob | null> {
    const outcome = requireGit(
      'The file could not be loaded from the repository.',
      await access.read(found, ['cat-file', '--batch'], signal, {
        input: encodeGitText(`${object}\n`),
        maxBytes: maxGitTextBytes + 200,
      }),
    )
    const { output } = outcome
    const end = output.indexOf(0x0a)
    const [id = '', type, size] = output.toString('latin1', 0, end).split(' ').slice(-3)
    if (type !== 'blob') return null
    const bytes = Number(size)
    return {
      id,
      size: bytes,
      content: outcome.truncated || bytes > maxGitTextBytes ? null : output.subarray(end + 1, end + 1 + bytes),
    }
  }

  async function working(found: FoundRepository, path: string) {
    const place = toWorkspacePath(found, path)
    if (place === null || !path.isWellFormed())
      throw new ToolError(
        'outside_workspace',
        place === null ? `"${path}" is outside the open folder.` : `The name of "${path}" is not valid UTF-8.`,
        place === null ? 'Open the folder of the repository.' : 'Stage or discard the whole file, or rename it.',
      )
    const { absolute, type } = await workspace.resolve(place, { missing: 'allow', symlink: 'keep' })
    if (type === 'missing') return null
    if (type === 'symlink') return { content: Buffer.from(await readlink(absolute)), mode: 0o120000, link: true }
    if (type !== 'file') throw new ToolError('is_directory', `"${place}" is not a file.`, 'Choose a file.')
    return { ...(await readDisk(absolute, place)), link: false }
  }

  function toVersion(path: string, { id, size, content }: Blob): GitFileVersion {
    if (content === null) return { kind: 'too_large', id, size }
    try {
      const { text, format } = decode(content, path)
      return { kind: 'text', id, text, ...format }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return { kind: 'binary', id, size }
    }
  }

  async function read(
    found: FoundRepository,
    path: string,
    version: GitVersion,
    signal: AbortSignal,
  ): Promise<GitFileVersion> {
    if (version === 'working') {
      const file = await working(found, path)
      if (!file) return { kind: 'missing' }
      const id = createHash('sha1').update(file.content).digest('hex')
      return toVersion(path, { id, size: file.content.length, content: file.content })
    }
    const object = `${objectOf(version)}:${path}`
    const entry = await blob(found, object, signal)
    if (entry) return toVersion(path, entry)
    return submoduleAt(access, found, object, signal)
  }

  return {
    blob,
    working,
    async fileAt({ found, status }, path, version, signal) {
      if (path.includes('\n'))
        throw new ToolError('invalid_path', 'The name contains a line break.', 'Rename the file.')
      const isFixed = typeof version === 'object' && /^[0-9a-f]{40,64}$/.test(version.commit)
      if (version === 'working' || (typeof version === 'object' && !isFixed)) return read(found, path, version, signal)
      const { revision } = isFixed ? { revision: '' } : await status.latest()
      const key = [found.id, revision, objectOf(version), path].join('\0')
      const cached = cache.get(key)
      if (cached) return cached
      const result = await read(found, path, version, signal)
      remember(key, result)
      return result
    },
  }
}

const stages = { index: ':0', base: ':1', ours: ':2', theirs: ':3', head: 'HEAD' } as const

function objectOf(version: Exclude<GitVersion, 'working'>): string {
  return typeof version === 'object' ? commitArgument(version.commit) : stages[version]
}

/** A submodule is an entry without content: its object is a commit in another repository. */
async function submoduleAt(
  access: GitAccess,
  found: FoundRepository,
  object: string,
  signal: AbortSignal,
): Promise<GitFileVersion> {
  if (!object.isWellFormed()) return { kind: 'missing' }
  const { code, output } = await access.read(found, ['rev-parse', '--verify', '--quiet', object], signal)
  const commit = output.toString('utf8').trim()
  if (code !== 0) return { kind: 'missing' }
  const type = await access.read(found, ['cat-file', '-t', commit], signal)
  // A folder has an object, too.
  return type.output.toString('utf8').trim() === 'tree'
    ? { kind: 'missing' }
    : { kind: 'submodule', id: commit, commit }
}

async function readDisk(absolute: string, name: string): Promise<{ content: Buffer; mode: number }> {
  try {
    const handle = await openInPlace(absolute)
    try {
      const stats = await handle.stat()
      // Reading a pipe might never end.
      if (!stats.isFile())
        throw new ToolError('invalid_path', `"${name}" is a device, pipe or socket, not a file.`, 'Use a regular file.')
      const { mode, size } = stats
      if (size > maxGitTextBytes)
        throw new ToolError('too_large', `"${name}" is too large to compare.`, 'Stage or discard the whole file.')
      return { content: await handle.readFile(), mode: mode & 0o777 }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw fileError(error, `"${name}" could not be read.`)
  }
}
