import { createHash } from 'node:crypto'
import { isAbort } from '../../../shared/errors.ts'
import { toWorkspacePath, type GitBlame, type GitBlameCommit } from '../../../shared/git/git.ts'
import { decodeGitText } from '../gitText.ts'
import type { FileVersions } from './fileVersions.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit } from './gitFailures.ts'
import { pathArgument } from './names.ts'
import type { Repositories } from './repositories.ts'
import type { WorkingFiles } from './actions.ts'

/** Maximum number of cached files. */
const maxCached = 20

interface BlameDeps {
  access: GitAccess
  repositories: Repositories
  versions: FileVersions
  files: Pick<WorkingFiles, 'documents' | 'decode' | 'encode'>
  signal: AbortSignal
}

/** Returns a function that finds who last changed each line of a file's current text. */
export function createBlame({ access, repositories, versions, files, signal: closed }: BlameDeps) {
  /** By HEAD, path and content, so that an entry is never outdated. */
  const cache = new Map<string, Promise<GitBlame>>()

  async function blame(id: string, path: string, cancelled?: AbortSignal): Promise<GitBlame> {
    const signal = cancelled ? AbortSignal.any([closed, cancelled]) : closed
    const { found, status } = await repositories.get(id)
    const { head } = await status.latest()
    const disk = await versions.working(found, path)
    if (head === null || disk === null) return { lines: [], commits: [] }
    const document = await files.documents.read(toWorkspacePath(found, path) ?? path, signal)
    const content = document.unsaved
      ? files.encode(document.text, document.format, files.decode(disk.content, path))
      : disk.content
    const key = [found.id, head, path, createHash('sha1').update(content).digest('hex')].join('\0')
    const known = cache.get(key)
    if (known)
      return known.catch((error: unknown) => {
        signal.throwIfAborted()
        // Another request for the same data was cancelled.
        if (isAbort(error)) return blame(id, path, cancelled)
        throw error
      })

    const args = ['blame', '--incremental', '--no-textconv', '--contents', '-', '--', pathArgument(path)]
    const reading = (async () => {
      const outcome = await access.read(found, args, signal, { input: content, files: true })
      // An uncommitted file has no such path in HEAD.
      if (outcome.code !== 0 && /no such path/.test(outcome.stderr)) return { lines: [], commits: [] }
      return parseBlame(decodeGitText(requireGit('Git blame failed.', outcome).output))
    })()
    cache.set(key, reading)
    reading.catch(() => cache.delete(key))
    for (const oldest of cache.keys()) {
      if (cache.size <= maxCached) break
      cache.delete(oldest)
    }
    return reading
  }
  return blame
}

/** Parses `git blame --incremental` (git-blame(1)): a header, fields and `filename` for each run of lines. */
function parseBlame(output: string): GitBlame {
  const lines: number[] = []
  const commits: GitBlameCommit[] = []
  const indexes = new Map<string, number>()
  const known = new Map<string, GitBlameCommit>()
  let run = { hash: '', line: 0, count: 0 }
  let fields: Partial<Record<string, string>> = {}
  for (const text of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/.exec(text)
    if (header) {
      run = { hash: header[1] ?? '', line: Number(header[2]), count: Number(header[3]) }
      fields = {}
      continue
    }
    const space = text.indexOf(' ')
    if (space > 0) fields[text.slice(0, space)] = text.slice(space + 1)
    if (!text.startsWith('filename ')) continue
    const { hash } = run
    let index = -1
    if (!/^0+$/.test(hash)) {
      // git writes the fields of a commit once.
      const commit = known.get(hash) ?? {
        hash,
        author: fields.author ?? '',
        email: (fields['author-mail'] ?? '').replace(/^<|>$/g, ''),
        authoredAt: Number(fields['author-time'] ?? 0) * 1000,
        subject: fields.summary ?? '',
        path: '',
      }
      known.set(hash, commit)
      const path = fields.filename ?? ''
      const key = `${hash} ${path}`
      index = indexes.get(key) ?? commits.push({ ...commit, path }) - 1
      indexes.set(key, index)
    }
    for (let line = run.line; line < run.line + run.count; line += 1) lines[line - 1] = index
  }
  // A text that ends with a line break has an empty last line without a commit.
  return { lines: Array.from(lines, (index) => index ?? -1), commits }
}
