import { createHash } from 'node:crypto'
import type { Workspace } from '../workspace/containment.ts'
import { openRepository, type Repository } from './gitRepository.ts'
import { runGitIn, safeDiffFlags } from './gitRun.ts'

/** Files to compare with new commits. */
export interface CommittedRange {
  /** Id of the last known commit; undefined before the first one. */
  known: string | undefined
  /** Id of the latest commit. */
  head: string
  /** Content by path relative to the repository; null for a missing file. */
  files: ReadonlyMap<string, Buffer | null>
}

/** A file in the latest commit. `same`: with the given content. `other`: with these bytes. */
export type CommittedFile = { kind: 'same' | 'missing' | 'unknown' } | { kind: 'other'; content: Buffer }

/** Maximum size of a committed file that is read, in bytes. */
const maxBytes = 5 * 1024 * 1024
/** Maximum number of files that are read. The others are `unknown`. */
const maxRead = 200
/** Maximum size of the list of changed paths, in bytes. The paths after it do not count as changed. */
const maxListBytes = 16 * 1024 * 1024

/**
 * Compares files with what new commits of a repository in the workspace changed.
 * @param folder folder of the repository, relative to the workspace
 * @returns only the files that the commits changed; none after a checkout or reset, which is not based on the known
 * commit
 * @throws ToolError as the methods of `Git` do
 */
export async function compareWithCommit(
  workspace: Workspace,
  { known, head, files }: CommittedRange,
  signal: AbortSignal,
  folder = '.',
): Promise<Map<string, CommittedFile>> {
  const repository = await openRepository(workspace, folder, signal)
  const changed = known === undefined ? undefined : await changedPaths(repository, known, head, signal)
  const counted = [...files.keys()].filter((path) => changed?.has(path) ?? true)
  if (counted.length === 0) return new Map()
  const paths = counted.filter((path) => !path.includes('\n'))
  const { stdout } = await runGitIn(
    repository,
    ['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)'],
    signal,
    { input: paths.map((path) => `${head}:${path}\n`).join('') },
  )
  const compared = new Map<string, CommittedFile>(counted.map((path) => [path, { kind: 'unknown' }]))
  let read = 0
  for (const [index, line] of stdout.split('\n').slice(0, paths.length).entries()) {
    const path = paths[index] ?? ''
    const content = files.get(path) ?? null
    const [, id, size] = /^blob ([0-9a-f]+) (\d+)$/.exec(line) ?? []
    if (id === undefined) {
      // A changed path that is not in the latest commit was in the known one, so the commits delete it.
      const deleted = content === null && changed !== undefined
      if (line.endsWith(' missing')) compared.set(path, { kind: deleted ? 'same' : 'missing' })
    } else if (content !== null && id === blobId(content, id.length)) compared.set(path, { kind: 'same' })
    else if (Number(size) <= maxBytes && read < maxRead) {
      read += 1
      const { stdout: text } = await runGitIn(repository, ['cat-file', 'blob', id], signal, { maxBytes })
      compared.set(path, { kind: 'other', content: Buffer.from(text) })
    }
  }
  return compared
}

/** Returns the paths that differ between two commits; none if the second is not based on the first. */
async function changedPaths(
  repository: Repository,
  known: string,
  head: string,
  signal: AbortSignal,
): Promise<Set<string>> {
  const { code } = await runGitIn(repository, ['merge-base', '--is-ancestor', known, head], signal)
  if (code !== 0) return new Set()
  const { stdout } = await runGitIn(
    repository,
    ['diff-tree', '-r', ...safeDiffFlags, '--no-renames', '--name-only', '-z', known, head, '--'],
    signal,
    { maxBytes: maxListBytes },
  )
  return new Set(stdout.split('\0').slice(0, -1))
}

/** Returns git's name of a content. @param digits of the repository's object format */
function blobId(content: Buffer, digits: number): string {
  const digest = createHash(digits === 64 ? 'sha256' : 'sha1')
  return digest.update(`blob ${content.length}\0`).update(content).digest('hex')
}
