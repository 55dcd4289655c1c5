import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { GitStatusSummary, GitUnfinishedOperation } from '../../../shared/git/git.ts'
import { pathExists, readSmallFile } from '../../base/smallFile.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit } from './gitFailures.ts'
import { createStatusParser } from '../statusParser.ts'

const statusArguments = [
  'status',
  '--porcelain=v2',
  '--branch',
  '--show-stash',
  '-z',
  '--untracked-files=all',
  '--find-renames',
  // Otherwise git would run itself in submodules with their configuration. They have their own status.
  '--ignore-submodules=dirty',
]

/** Reads a repository's status in the background. Starts no program from its configuration. */
export async function readStatus(
  access: GitAccess,
  found: FoundRepository,
  signal: AbortSignal,
): Promise<GitStatusSummary> {
  const parser = createStatusParser()
  const [revision, operation] = await Promise.all([revisionOf(found), readUnfinishedOperation(found)])
  if (found.kind !== 'bare') {
    const onOutput = (chunk: Buffer) => {
      parser.add(chunk)
      return true
    }
    requireGit(
      'The status could not be loaded.',
      await access.read(found, statusArguments, signal, { files: true, onOutput }),
    )
  }
  const status = parser.end()
  return {
    repository: describeRepository(found, access),
    ...status,
    ...(found.kind === 'bare' && (await bareHead(access, found, signal))),
    revision: `${status.head ?? ''} ${revision}`,
    operation,
  }
}

/** Returns what the window shows about a repository. */
export function describeRepository(found: FoundRepository, access: GitAccess): GitStatusSummary['repository'] {
  const { id, folder, prefix, others, name, kind, parent } = found
  return {
    id,
    folder,
    ...(prefix !== undefined && { prefix }),
    ...(others && { others }),
    name,
    kind,
    ...(parent !== undefined && { parent }),
    trusted: access.isTrusted(found),
  }
}

/** Returns a string that changes with the index. */
async function revisionOf({ gitDir }: FoundRepository): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path.join(gitDir, 'index'))
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return '' // There is no index before the first file is staged.
  }
}

async function bareHead(access: GitAccess, found: FoundRepository, signal: AbortSignal) {
  const branch = await access.read(found, ['symbolic-ref', '--quiet', '--short', 'HEAD'], signal)
  const head = await access.read(found, ['rev-parse', '--verify', '--quiet', 'HEAD'], signal)
  return {
    branch: branch.code === 0 ? branch.output.toString('utf8').trim() : null,
    head: head.code === 0 ? head.output.toString('utf8').trim() : null,
  }
}

/** Returns the operation that waits for the user, derived from git's files (git-status(1), wt-status.c). */
async function readUnfinishedOperation({
  gitDir,
}: Pick<FoundRepository, 'gitDir'>): Promise<GitUnfinishedOperation | null> {
  const read = async (name: string) => (await readSmallFile(path.join(gitDir, name)))?.trim()
  const message = async () => {
    const text = await read('MERGE_MSG')
    // git adds comments that list the conflicts.
    return text === undefined ? {} : { message: text.replaceAll(/^#.*\n?/gm, '').trim() }
  }

  for (const folder of ['rebase-merge', 'rebase-apply']) {
    if (!(await pathExists(path.join(gitDir, folder)))) continue
    if (await pathExists(path.join(gitDir, folder, 'applying'))) return { kind: 'apply_mailbox' }
    const [branch, step, steps] = await Promise.all([
      read(`${folder}/head-name`),
      read(folder === 'rebase-merge' ? `${folder}/msgnum` : `${folder}/next`),
      read(folder === 'rebase-merge' ? `${folder}/end` : `${folder}/last`),
    ])
    return {
      kind: 'rebase',
      ...(branch !== undefined && { subject: branch.replace(/^refs\/heads\//, '') }),
      ...(step !== undefined && steps !== undefined && { step: Number(step), steps: Number(steps) }),
      ...(await message()),
    }
  }
  const merge = await read('MERGE_HEAD')
  if (merge !== undefined) {
    const prepared = await message()
    const branch = /^Merge (?:remote-tracking )?(?:branch|commit|tag) '([^']+)'/.exec(prepared.message ?? '')?.[1]
    return { kind: 'merge', subject: branch ?? merge.slice(0, 7), ...prepared }
  }
  const picked = await read('CHERRY_PICK_HEAD')
  if (picked !== undefined) return { kind: 'cherry_pick', subject: picked.slice(0, 7), ...(await message()) }
  const reverted = await read('REVERT_HEAD')
  if (reverted !== undefined) return { kind: 'revert', subject: reverted.slice(0, 7), ...(await message()) }
  if (await pathExists(path.join(gitDir, 'BISECT_LOG'))) return { kind: 'bisect' }
  return null
}
