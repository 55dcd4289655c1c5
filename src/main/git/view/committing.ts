import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { GitStatusSummary, GitIdentity } from '../../../shared/git/git.ts'
import { errorCode } from '../../base/fileErrors.ts'
import type { GitResult } from '../gitProcess.ts'
import type { Actions } from './actions.ts'
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
  /** Skips pre-commit and commit-msg. */
  skipHooks: boolean
}

/** Commits what is staged, with the user's hooks and signature in a trusted folder. */
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
    const { outcome, failedHook } = await withHookTrace((trace) =>
      access.act(found, args, signal, { input, onErrors, env: { ...env, ...trace } }),
    )
    if (outcome.code !== 0) throw commitFailure(outcome, failedHook, options)
    const head = requireGit(
      'The commit could not be loaded.',
      await access.read(found, ['rev-parse', '--verify', 'HEAD'], signal),
    )
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
    // Without a message, git keeps the message of the amended commit or of the merge.
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
      'Resolve the conflicts under "Merge changes", then stage the files.',
      { reason: 'conflicts' },
    )
  }
  if (message.trim() === '' && !amend && operation === null)
    throw new ToolError('invalid_arguments', 'The message is empty.', 'Describe what the commit changes.')
  if (counts.staged === 0 && !amend && operation === null && !(all && counts.changes > 0))
    throw new ToolError('no_change', 'No changes are staged.', 'Stage files first.', { reason: 'nothing_to_commit' })
}

/** Hooks that can refuse a commit. */
const commitHooks = new Set(['pre-commit', 'prepare-commit-msg', 'commit-msg'])

/** Returns the error for a failed commit. Hooks can print anything, so their output is no evidence of a cause. */
function commitFailure(outcome: GitResult, failedHook: string | undefined, { skipHooks }: CommitOptions): ToolError {
  const failure = gitFailure('The commit failed.', outcome)
  if (failedHook === undefined) return failure
  return new ToolError(
    'refused',
    `The commit was refused by a hook (${failedHook}). Nothing was committed; your message and the staged changes are kept.`,
    skipHooks
      ? 'Show the details to see its output. Git runs this hook even if hooks are skipped, so correct the cause.'
      : 'Show the details to see its output. You can correct the cause, or commit without hooks.',
    { ...(!skipHooks && { reason: 'hook_failed' }), ...(failure.detail !== undefined && { detail: failure.detail }) },
  )
}

/** Runs git with a trace of its child processes (gitapi-trace2), which includes the exit codes of hooks. */
async function withHookTrace(
  run: (env: Record<string, string>) => Promise<GitResult>,
): Promise<{ outcome: GitResult; failedHook: string | undefined }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tizona-commit-'))
  const file = path.join(folder, 'trace')
  try {
    const outcome = await run({ GIT_TRACE2_EVENT: file })
    return { outcome, failedHook: outcome.code === 0 ? undefined : failedHookOf(await readTrace(file)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readTrace(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return ''
  }
}

const traceEvent = z.object({
  event: z.string(),
  sid: z.string(),
  child_id: z.number().optional(),
  hook_name: z.string().optional(),
  code: z.number().optional(),
})

/** Returns the hook that failed. */
function failedHookOf(trace: string): string | undefined {
  const lines = trace.split('\n').filter((line) => line !== '')
  const events = lines.map((line) => traceEvent.parse(JSON.parse(line)))
  // Git processes started by a hook write to the same file, with their own sessions.
  const own = events.filter(({ sid }) => sid === events[0]?.sid)
  const failed = own.filter(({ event, code }) => event === 'child_exit' && code !== 0)
  return own.find(
    ({ event, hook_name: hook = '', child_id: id }) =>
      event === 'child_start' && commitHooks.has(hook) && failed.some(({ child_id: ended }) => ended === id),
  )?.hook_name
}

/** Stores the name and email address for commits in a repository's configuration, or in the user's. */
export async function setIdentity(
  { change }: Pick<Actions, 'change'>,
  id: string,
  { name, email, scope }: GitIdentity,
): Promise<void> {
  const file = scope === 'all' ? '--global' : '--local'
  await change(id, undefined, async (_, git) => {
    await git('The name could not be stored.', ['config', file, 'user.name', name])
    await git('The email address could not be stored.', ['config', file, 'user.email', email])
  })
}
