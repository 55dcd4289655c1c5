import { createHash } from 'node:crypto'
import type { GitResult } from './gitProcess.ts'
import { safeDiffFlags } from './runInRepository.ts'

/** Runs git in a repository without starting programs from its configuration. */
export type ReadGit = (
  args: readonly string[],
  options?: { input?: string; maxBytes?: number },
) => Promise<Pick<GitResult, 'code' | 'output'>>

/** Files to compare with new commits. */
export interface CommittedRange {
  /** Id of the last known commit; undefined before the first one. */
  known: string | undefined
  /** Id of the latest commit. */
  head: string
  /** Whether the latest commit was made in Tizona. If it replaces the known commit, it amends it. */
  own?: boolean
  /** Content by path relative to the repository; null for a missing file. */
  files: ReadonlyMap<string, Buffer | null>
}

/** A file in the latest commit. `same`: equal to the given content. `other`: with these bytes. */
export type CommittedFile = { kind: 'same' | 'missing' | 'unknown' } | { kind: 'other'; content: Buffer }

/** Maximum bytes of a committed file that is read. */
const maxBytes = 5 * 1024 * 1024
/** Maximum number of files that are read. The others are `unknown`. */
const maxRead = 200
/** Maximum number of reflog entries of HEAD that are examined. */
const maxSteps = 100
/** Maximum bytes of the list of changed paths. Paths beyond it count as unchanged. */
const maxListBytes = 16 * 1024 * 1024

/**
 * Compares files with the changes of a repository's new commits.
 * @returns only files changed by the commits, including amended ones; none after a checkout or reset that is not based
 * on the known commit
 * @throws ToolError like `read`
 */
export async function compareWithCommit(
  read: ReadGit,
  { known, head, own = false, files }: CommittedRange,
): Promise<Map<string, CommittedFile>> {
  const changed = known === undefined ? undefined : await changedPaths(read, known, head, own)
  const counted = [...files.keys()].filter((path) => changed?.has(path) ?? true)
  if (counted.length === 0) return new Map()
  const paths = counted.filter((path) => !path.includes('\n'))
  const { output } = await read(['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)'], {
    input: paths.map((path) => `${head}:${path}\n`).join(''),
  })
  const compared = new Map<string, CommittedFile>(counted.map((path) => [path, { kind: 'unknown' }]))
  let readFiles = 0
  for (const [index, line] of output.toString('utf8').split('\n').slice(0, paths.length).entries()) {
    const path = paths[index] ?? ''
    const content = files.get(path) ?? null
    const [, id, size] = /^blob ([0-9a-f]+) (\d+)$/.exec(line) ?? []
    if (id === undefined) {
      // A changed path that is missing from the latest commit was in the known one, so the commits delete it.
      const deleted = content === null && changed !== undefined
      if (line.endsWith(' missing')) compared.set(path, { kind: deleted ? 'same' : 'missing' })
    } else if (content !== null && id === blobId(content, id.length)) compared.set(path, { kind: 'same' })
    else if (Number(size) <= maxBytes && readFiles < maxRead) {
      readFiles += 1
      const { output: blob } = await read(['cat-file', 'blob', id], { maxBytes })
      compared.set(path, { kind: 'other', content: blob })
    }
  }
  return compared
}

/**
 * Returns the paths that differ between two commits; none if the second is neither based on the first nor amends it.
 * @param own whether the second may amend the first
 */
async function changedPaths(read: ReadGit, known: string, head: string, own: boolean): Promise<Set<string>> {
  const { code } = await read(['merge-base', '--is-ancestor', known, head])
  const follows =
    code === 0 || (own && (await haveSameParents(read, known, head))) || (await onlyCommitted(read, known, head))
  if (!follows) return new Set()
  const { output } = await read(
    ['diff-tree', '-r', ...safeDiffFlags, '--no-renames', '--name-only', '-z', known, head, '--'],
    { maxBytes: maxListBytes },
  )
  return new Set(output.toString('utf8').split('\0').slice(0, -1))
}

async function haveSameParents(read: ReadGit, one: string, other: string): Promise<boolean> {
  const parentsOf = (commit: string) => read(['rev-parse', `${commit}^@`])
  const [first, second] = [await parentsOf(one), await parentsOf(other)]
  return first.code === 0 && second.code === 0 && first.output.equals(second.output)
}

/**
 * Whether HEAD moved from one commit to the other only by commits and amends, as far as the reflog knows. Without a
 * reflog, amending in a terminal looks like a checkout.
 */
async function onlyCommitted(read: ReadGit, known: string, head: string): Promise<boolean> {
  const { code, output } = await read(['reflog', 'show', `--max-count=${maxSteps}`, '--format=%H %gs', 'HEAD', '--'])
  if (code !== 0) return false
  const steps = output.toString('utf8').trimEnd().split('\n')
  const since = steps.findIndex((step) => step.startsWith(`${known} `))
  return (
    steps[0]?.startsWith(`${head} `) === true &&
    since > 0 &&
    steps.slice(0, since).every((step) => /^[0-9a-f]+ commit(?: \([a-z]+\))?: /.test(step))
  )
}

/** Returns git's object id for content. @param digits of the repository's object format */
function blobId(content: Buffer, digits: number): string {
  const digest = createHash(digits === 64 ? 'sha256' : 'sha1')
  return digest.update(`blob ${content.length}\0`).update(content).digest('hex')
}
