import { createHash } from 'node:crypto'
import type { Workspace } from '../workspace/containment.ts'
import { openRepository } from './gitRepository.ts'
import { runGitIn } from './gitRun.ts'

/** A file in the latest commit. `same`: with the given content. `other`: with these bytes. */
export type CommittedFile = { kind: 'same' | 'missing' | 'unknown' } | { kind: 'other'; content: Buffer }

/** Maximum size of a committed file that is read, in bytes. */
const maxBytes = 5 * 1024 * 1024
/** Maximum number of files that are read. The others are `unknown`. */
const maxRead = 200

/**
 * Compares files with the latest commit of the workspace's repository.
 * @param files content by path relative to the workspace; null for a missing file
 * @throws ToolError as the methods of `Git` do
 */
export async function compareWithCommit(
  workspace: Workspace,
  files: ReadonlyMap<string, Buffer | null>,
  signal: AbortSignal,
): Promise<Map<string, CommittedFile>> {
  const repository = await openRepository(workspace, '.', signal)
  const paths = [...files.keys()].filter((path) => !path.includes('\n'))
  const { stdout } = await runGitIn(
    repository,
    ['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)'],
    signal,
    { input: paths.map((path) => `HEAD:${path}\n`).join('') },
  )
  const compared = new Map<string, CommittedFile>([...files.keys()].map((path) => [path, { kind: 'unknown' }]))
  let read = 0
  for (const [index, line] of stdout.split('\n').slice(0, paths.length).entries()) {
    const path = paths[index] ?? ''
    const content = files.get(path) ?? null
    const [, id, size] = /^blob ([0-9a-f]+) (\d+)$/.exec(line) ?? []
    if (id === undefined) {
      if (line.endsWith(' missing')) compared.set(path, { kind: content === null ? 'same' : 'missing' })
    } else if (content !== null && id === blobId(content, id.length)) compared.set(path, { kind: 'same' })
    else if (Number(size) <= maxBytes && read < maxRead) {
      read += 1
      const { stdout: text } = await runGitIn(repository, ['cat-file', 'blob', id], signal, { maxBytes })
      compared.set(path, { kind: 'other', content: Buffer.from(text) })
    }
  }
  return compared
}

/** Returns git's name of a content. @param digits of the repository's object format */
function blobId(content: Buffer, digits: number): string {
  const digest = createHash(digits === 64 ? 'sha256' : 'sha1')
  return digest.update(`blob ${content.length}\0`).update(content).digest('hex')
}
