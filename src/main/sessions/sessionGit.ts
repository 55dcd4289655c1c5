import { ToolError } from '../../shared/errors.ts'
import { linkedWorktree, type LinkedWorktree } from '../base/linkedWorktree.ts'
import path from 'node:path'
import type { SessionRecord } from './sessionRecords.ts'

interface GitAnswer {
  code: number | null
  output: Buffer
  /** `output` as UTF-8. */
  stdout: string
  stderr: string
}

/** Runs git in a repository. A nonzero exit code is a result, not an exception. @param folder absolute */
export type RunGit = (
  folder: string,
  args: readonly string[],
  options?: { input?: string; environment?: Readonly<Record<string, string>> },
) => Promise<GitAnswer>

/** Runs git and returns its output. @throws ToolError `io_error` if it fails */
export async function gitOutput(run: RunGit, ...call: Parameters<RunGit>): Promise<string> {
  const { code, stdout, stderr } = await run(...call)
  if (code === 0) return stdout
  const [command] = call[1].filter((word, index) => !word.startsWith('-') && call[1][index - 1] !== '-c')
  throw new ToolError(
    'io_error',
    `git ${command ?? ''} failed in ${call[0]}: ${stderr || `it ended with exit code ${code}`}`,
    'Run the same command in a terminal, and try again when it succeeds.',
  )
}

/** Returns the lines of git's output; with `-z` its records, because a path can have line breaks. */
export async function gitLines(run: RunGit, ...call: Parameters<RunGit>): Promise<string[]> {
  const end = call[1].includes('-z') ? '\0' : '\n'
  return (await gitOutput(run, ...call)).split(end).filter((line) => line !== '')
}

/** Returns the commit of a reference; undefined if it does not exist. */
export async function commitOf(run: RunGit, folder: string, ref: string): Promise<string | undefined> {
  const { code, stdout } = await run(folder, ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`])
  return code === 0 ? stdout.trim() : undefined
}

/** Returns the git folders of a session, if worktree and repository still refer to each other. */
export async function linksOf({ worktree, common }: SessionRecord): Promise<LinkedWorktree | undefined> {
  const links = await linkedWorktree(path.join(worktree, '.git'))
  return links?.common === common ? links : undefined
}

/**
 * Returns a session with the commit that its changes are compared with: after a rebase, the one it was rebased onto. If
 * the user went back to a commit before that, the last one that its history shares with the base.
 */
export async function withCurrentBase(run: RunGit, session: SessionRecord): Promise<SessionRecord> {
  const { base, onto } = session
  const links = onto === undefined ? undefined : await linksOf(session)
  if (onto === undefined || links === undefined) return session
  const { code } = await run(links.gitFolder, ['merge-base', '--is-ancestor', onto, 'HEAD'])
  if (code === 0) return { ...session, base: onto }
  const shared = await run(links.gitFolder, ['merge-base', base, 'HEAD'])
  return shared.code === 0 ? { ...session, base: shared.stdout.trim() } : session
}

/** Returns options of git for a session's worktree. Git does not read its `.git` file, which could have changed. */
export function inWorktree({ worktree }: SessionRecord, { gitFolder }: LinkedWorktree): string[] {
  return [`--git-dir=${gitFolder}`, `--work-tree=${worktree}`]
}

/** Whether the repository lists a worktree at the session's path. */
export async function isListed(run: RunGit, { common, worktree }: SessionRecord): Promise<boolean> {
  const lines = await gitLines(run, common, ['worktree', 'list', '--porcelain'])
  // On Windows, git writes slashes.
  return lines.some((line) => line.startsWith('worktree ') && path.resolve(line.slice('worktree '.length)) === worktree)
}

/** Whether a worktree has the session's branch checked out. */
export async function isCheckedOut(run: RunGit, { common, branch }: SessionRecord): Promise<boolean> {
  return (await gitLines(run, common, ['worktree', 'list', '--porcelain'])).includes(`branch refs/heads/${branch}`)
}

/** Restores the `.git` file of a worktree, which an interrupted removal or a mistake deleted. */
export async function repairLinks(run: RunGit, session: SessionRecord): Promise<LinkedWorktree | undefined> {
  const links = await linksOf(session)
  if (links !== undefined || !(await isListed(run, session))) return links
  await run(session.common, ['worktree', 'repair', session.worktree])
  return linksOf(session)
}
