import { constants } from 'node:fs'
import { access as checkAccess } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import type { GitStatusSummary } from '../../../shared/git.ts'
import { errorCode } from '../../base/errorCode.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { gitFailure, requireGit } from './gitFailures.ts'
import type { Operation } from './operations.ts'
import type { Repositories } from './repositories.ts'
import { changedPaths, refuseFiltered } from './staging.ts'

export interface CommitOptions {
  message: string
  amend: boolean
  signOff: boolean
  /** Stages all changes of tracked files first. */
  all: boolean
  /** Without pre-commit and commit-msg. */
  skipHooks: boolean
}

/** Commits what is staged, with the hooks and the signature of the user in a trusted folder. */
export async function commit(
  access: GitAccess,
  repositories: Repositories,
  id: string,
  options: CommitOptions,
  { signal, onErrors, env }: Operation,
): Promise<{ hash: string; status: GitStatusSummary }> {
  const { result, status } = await repositories.change(id, async ({ found, status: latest }) => {
    const now = await latest.now()
    checkCommit(options, now)
    if (options.all && !access.isTrusted(found)) await refuseFiltered(access, found, changedPaths(now), signal)
    const args = ['commit', '--quiet', ...flags(options)]
    const input = options.message.trim() === '' ? undefined : options.message
    const outcome = await access.act(found, args, signal, { input, onErrors, env })
    if (outcome.code !== 0) throw await commitFailure(access, found, outcome, options, signal)
    const head = requireGit('Reading the commit', await access.read(found, ['rev-parse', '--verify', 'HEAD'], signal))
    return head.output.toString('utf8').trim()
  })
  return { hash: result, status }
}

function flags({ message, amend, signOff, all, skipHooks }: CommitOptions): string[] {
  return [
    ...(amend ? ['--amend'] : []),
    ...(signOff ? ['--signoff'] : []),
    ...(all ? ['--all'] : []),
    ...(skipHooks ? ['--no-verify'] : []),
    // An empty message keeps the one of the amended commit or of the merge.
    ...(message.trim() === '' ? ['--no-edit'] : ['--file=-']),
  ]
}

function checkCommit({ message, amend, all }: CommitOptions, { groups, counts, operation }: GitStatusSummary): void {
  if (counts.merge > 0) {
    const names = groups.merge.slice(0, 5).map(({ path: name }) => name)
    const more = counts.merge > names.length ? ` and ${counts.merge - names.length} more` : ''
    throw new ToolError(
      'conflict',
      `Nothing was committed, because there are unresolved conflicts in ${names.join(', ')}${more}.`,
      'Resolve the files under Merge changes and stage them.',
      { reason: 'conflicts' },
    )
  }
  if (message.trim() === '' && !amend && operation === null)
    throw new ToolError('invalid_arguments', 'The message is empty.', 'Describe what the commit changes.')
  if (counts.staged === 0 && !amend && operation === null && !(all && counts.changes > 0))
    throw new ToolError('no_change', 'No changes are staged.', 'Stage files first.', { reason: 'nothing_to_commit' })
}

/** Hooks that can refuse a commit. */
const commitHooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg'] as const

/** Returns the error of a failed commit. Hooks write what they like, so they are suspected if git gives no reason. */
async function commitFailure(
  access: GitAccess,
  found: FoundRepository,
  outcome: { code: number | null; output: Buffer; stderr: string },
  { skipHooks }: CommitOptions,
  signal: AbortSignal,
): Promise<ToolError> {
  const failure = gitFailure('The commit', outcome)
  if (failure.reason !== undefined || skipHooks || !access.isTrusted(found)) return failure
  const hooks = await hooksOf(access, found, signal)
  if (hooks.length === 0) return failure
  return new ToolError(
    'refused',
    `The commit was refused by a hook (${hooks.join(', ')}). Nothing was committed; your message and the staged changes are kept.`,
    'Show the details for its output. You can correct the cause, or commit without hooks.',
    { reason: 'hook_failed', detail: failure.detail },
  )
}

async function hooksOf(access: GitAccess, found: FoundRepository, signal: AbortSignal): Promise<string[]> {
  const outcome = await access.act(found, ['rev-parse', '--path-format=absolute', '--git-path', 'hooks'], signal)
  const folder = outcome.output.toString('utf8').trim()
  const present = await Promise.all(
    commitHooks.map(async (hook) => ((await isExecutable(path.join(folder, hook))) ? [hook] : [])),
  )
  return present.flat()
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await checkAccess(file, constants.X_OK)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
