import { lstat, readlink } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { openInPlace } from '../base/heldFolder.ts'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { gitOutput, inWorktree, linksOf, type RunGit } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'
import { changedSinceBase } from './sessionWork.ts'

/** A file or symbolic link. `content` of a link is its target. */
export interface Entry {
  kind: 'file' | 'link'
  content: Buffer
  /** Permissions of a file. */
  mode: number
}

/** Whether its owner can run a file. Git records no other permission. */
export function isExecutable({ kind, mode }: Entry): boolean {
  return kind === 'file' && (mode & 0o100) !== 0
}

/** What a session did to a path since its base commit. Null: there is no such file. */
export interface SessionChange {
  /** Relative to the root of the repository. */
  path: string
  base: Entry | null
  now: Entry | null
}

export interface SessionChanges {
  changes: SessionChange[]
  /** Paths that cannot be shown or taken over. */
  skipped: { path: string; why: string }[]
}

/** Maximum bytes of a file. */
const maxFile = 32 * 1024 * 1024
/** Maximum number of blobs read by one process. Together they have at most `maxFile` bytes. */
const maxBlobs = 50
/** Why a larger file is skipped. */
const tooLarge = `It is larger than ${maxFile / 1024 / 1024} MB.`

/**
 * Returns what differs between a session's worktree and its base commit: committed, uncommitted and untracked files.
 *
 * @throws ToolError `not_found` if the worktree is gone
 */
export async function readChanges(run: RunGit, session: SessionRecord): Promise<SessionChanges> {
  const links = await linksOf(session)
  if (links === undefined)
    throw new ToolError(
      'not_found',
      `The worktree of "${session.name}" is missing: ${session.worktree}.`,
      'Check the folder, or remove the session.',
    )
  const paths = await changedSinceBase(run, session)
  const { entries: bases, skipped } = await baseEntries(run, session, links, paths)
  const changes: SessionChange[] = []
  for (const file of paths) {
    if (skipped.some((other) => other.path === file)) continue
    const now = await entryAt(path.join(session.worktree, file))
    if (typeof now === 'string') skipped.push({ path: file, why: now })
    else changes.push({ path: file, base: bases.get(file) ?? null, now })
  }
  return { changes, skipped }
}

/** Reads a file or link. @returns null if it is missing; why it cannot be read */
export async function entryAt(absolute: string): Promise<Entry | null | string> {
  const stats = await lstat(absolute).catch(() => undefined)
  if (stats === undefined) return null
  if (stats.isSymbolicLink()) return { kind: 'link', content: await readlink(absolute, 'buffer'), mode: 0 }
  if (!stats.isFile()) return 'It is not a file.'
  if (stats.size > maxFile) return tooLarge
  const handle = await openInPlace(absolute)
  try {
    return { kind: 'file', content: await handle.readFile(), mode: stats.mode & 0o777 }
  } finally {
    await handle.close()
  }
}

async function baseEntries(
  run: RunGit,
  session: SessionRecord,
  links: LinkedWorktree,
  paths: readonly string[],
): Promise<{ entries: Map<string, Entry>; skipped: { path: string; why: string }[] }> {
  const wanted = new Set(paths)
  const git = inWorktree(session, links)
  const listed = await gitOutput(run, session.worktree, [
    ...git,
    'ls-tree',
    '-r',
    '--long',
    '-z',
    '--full-tree',
    session.base,
  ])
  const found = listed.split('\0').flatMap((line) => {
    const [, mode = '', hash = '', size = '', file = ''] = /^(\d+) \w+ (\w+) +(\d+|-)\t(.+)$/s.exec(line) ?? []
    return wanted.has(file) ? [{ mode, hash, size: Number(size), file }] : []
  })
  const blobs = found.filter(({ mode, size }) => mode !== '160000' && size <= maxFile)
  const skipped = found
    .filter((entry) => !blobs.includes(entry))
    .map(({ mode, file }) => ({ path: file, why: mode === '160000' ? 'It is a submodule.' : tooLarge }))
  const entries = new Map<string, Entry>()
  for (const part of batches(blobs)) {
    const input = part.map(({ hash }) => `${hash}\n`).join('')
    const { code, output, stderr } = await run(session.worktree, [...git, 'cat-file', '--batch'], { input })
    if (code !== 0)
      throw new ToolError(
        'io_error',
        `git cannot read the base of "${session.name}": ${stderr}`,
        'Check the repository.',
      )
    let offset = 0
    for (const { mode, file } of part) {
      // HASH SP TYPE SP SIZE LF CONTENT LF
      const end = output.indexOf(0x0a, offset)
      const size = Number(output.subarray(offset, end).toString('latin1').split(' ')[2])
      const content = output.subarray(end + 1, end + 1 + size)
      offset = end + 1 + size + 1
      entries.set(file, { kind: mode === '120000' ? 'link' : 'file', content, mode: mode === '100755' ? 0o755 : 0o644 })
    }
  }
  return { entries, skipped }
}

/** Groups blobs for one process each, whose output is limited. */
function batches<T extends { size: number }>(blobs: readonly T[]): T[][] {
  const groups: T[][] = []
  let bytes = Infinity
  for (const blob of blobs) {
    bytes += blob.size
    if (bytes > maxFile || (groups.at(-1)?.length ?? 0) >= maxBlobs) {
      groups.push([])
      bytes = blob.size
    }
    groups.at(-1)?.push(blob)
  }
  return groups
}
