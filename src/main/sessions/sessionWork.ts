import { randomUUID } from 'node:crypto'
import { copyFile, lstat, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { changedCopies, listIgnored, readIncludeRules, type CopiedFiles } from './includedFiles.ts'
import { commitOf, gitLines, gitOutput, inWorktree, linksOf, type RunGit } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'

/** What a session has done since its base commit. Paths are relative to the worktree. */
export interface SessionWork {
  /** Files that differ from the last commit, untracked ones included. */
  uncommitted: string[]
  /**
   * Ignored files to keep: copied ones that have changed, new ones that `.worktreeinclude` matches, those that only an
   * untracked `.gitignore` hides, and nested repositories, which end with a slash.
   */
  copies: string[]
  /** Number of other ignored files. They are deleted with the worktree. */
  ignored: number
  /** Number of commits that no other branch, tag or remote branch contains. */
  commits: number
}

/** Whether removing the session would lose something. */
export function isOnlyHere({ uncommitted, copies, commits }: SessionWork): boolean {
  return uncommitted.length > 0 || copies.length > 0 || commits > 0
}

/** Returns what is nowhere but in the session. @throws ToolError `io_error` if git cannot read it */
export async function workOf(run: RunGit, session: SessionRecord, copied: CopiedFiles): Promise<SessionWork> {
  const links = await linksOf(session)
  const tips = await tipsOf(run, session, links)
  if (links === undefined)
    return { uncommitted: [], copies: [], ignored: 0, commits: await ownCommits(run, session, tips) }
  const shown = await uncommittedFiles(run, session, links)
  const uncommitted = [...new Set([...shown, ...(await unshownFiles(run, session, links))])]
  const { copies, ignored } = await ignoredWork(run, session, links, copied, uncommitted)
  return { uncommitted, copies, ignored, commits: await ownCommits(run, session, tips) }
}

async function ignoredWork(
  run: RunGit,
  session: SessionRecord,
  links: LinkedWorktree,
  copied: CopiedFiles,
  uncommitted: readonly string[],
): Promise<{ copies: string[]; ignored: number }> {
  const git = inWorktree(session, links)
  const changed = await changedCopies(session.worktree, copied)
  const others = (await gitLines(run, session.worktree, [...git, ...listIgnored])).filter(
    (file) => !Object.hasOwn(copied, file),
  )
  const rules = await Promise.all([session.folder, session.worktree].map(readIncludeRules))
  const hidden = await hiddenFiles(run, session, git, others, uncommitted)
  const kept = others.filter(
    (file) => file.endsWith('/') || hidden.has(file) || rules.some((isIncluded) => isIncluded?.(file)),
  )
  return { copies: [...changed, ...kept], ignored: others.length - kept.length }
}

/** Returns those ignored files that only an untracked `.gitignore` hides: a program may have written it for itself. */
async function hiddenFiles(
  run: RunGit,
  session: SessionRecord,
  git: readonly string[],
  ignored: readonly string[],
  uncommitted: readonly string[],
): Promise<Set<string>> {
  const tracked = new Set(
    await gitLines(run, session.worktree, [...git, 'ls-files', '-z', '--', ':(glob)**/.gitignore']),
  )
  const sources = [...ignored, ...uncommitted].filter((file) => isIgnoreFile(file) && !tracked.has(file))
  const folders = sources.map((file) => file.slice(0, -'.gitignore'.length))
  const asked = ignored.filter((file) => folders.some((folder) => file.startsWith(folder)))
  if (asked.length === 0) return new Set()
  // `./`, because a colon at the beginning of a path has a meaning.
  const args = [...git, 'check-ignore', '--verbose', '-z', '--stdin']
  const fields = (
    await gitOutput(run, session.worktree, args, { input: asked.map((file) => `./${file}\0`).join('') })
  ).split('\0')
  const hidden = new Set<string>()
  // SOURCE NUL LINE NUL PATTERN NUL PATH NUL
  for (let at = 0; at + 3 < fields.length; at += 4)
    if (sources.includes(fields[at] ?? '')) hidden.add((fields[at + 3] ?? '').slice('./'.length))
  return hidden
}

function isIgnoreFile(file: string): boolean {
  return file === '.gitignore' || file.endsWith('/.gitignore')
}

/** Returns the paths that `git status` lists, each untracked file for itself. */
export async function uncommittedFiles(run: RunGit, session: SessionRecord, links: LinkedWorktree): Promise<string[]> {
  const args = [...inWorktree(session, links), 'status', '--porcelain', '--untracked-files=all', '--no-renames', '-z']
  return (await gitLines(run, session.worktree, args)).map((line) => line.slice(3))
}

/** Returns the changed files that `git status` does not show: `skip-worktree` and `assume-unchanged` hide them. */
async function unshownFiles(run: RunGit, session: SessionRecord, links: LinkedWorktree): Promise<string[]> {
  const flagged = await flaggedFiles(run, session, links)
  if (flagged.length === 0) return []
  const copy = path.join(links.gitFolder, `tizona-index-${randomUUID()}`)
  try {
    await copyFile(path.join(links.gitFolder, 'index'), copy)
    const environment = { GIT_INDEX_FILE: copy }
    await clearFlags(run, session, links, flagged, environment)
    const args = [...inWorktree(session, links), 'status', '--porcelain', '--untracked-files=no', '--no-renames', '-z']
    const changed = (await gitLines(run, session.worktree, args, { environment })).map((line) => line.slice(3))
    return changed.filter((file) => flagged.includes(file))
  } finally {
    await rm(copy, { force: true })
  }
}

/** Returns the existing files whose changes git does not look at. */
export async function flaggedFiles(run: RunGit, session: SessionRecord, links: LinkedWorktree): Promise<string[]> {
  const lines = await gitLines(run, session.worktree, [...inWorktree(session, links), 'ls-files', '-v', '-z'])
  const flagged = lines
    .filter((line) => line.startsWith('S') || line.charAt(0) !== line.charAt(0).toUpperCase())
    .map((line) => line.slice(2))
  const found = await Promise.all(
    flagged.map(async (file) => lstat(path.join(session.worktree, file)).catch(() => undefined)),
  )
  return flagged.filter((_, index) => found[index] !== undefined)
}

/** Makes git look at the changes of files. */
export async function clearFlags(
  run: RunGit,
  session: SessionRecord,
  links: LinkedWorktree,
  files: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const input = files.map((file) => `${file}\0`).join('')
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
    const args = [...inWorktree(session, links), 'update-index', flag, '-z', '--stdin']
    await gitOutput(run, session.worktree, args, { input, environment })
  }
}

/** Returns the commits of HEAD and of the session's branch. */
export async function tipsOf(
  run: RunGit,
  session: SessionRecord,
  links: LinkedWorktree | undefined,
): Promise<{ head: string | undefined; branch: string | undefined }> {
  const branch = await commitOf(run, session.common, `refs/heads/${session.branch}`)
  return { branch, head: links && (await commitOf(run, links.gitFolder, 'HEAD')) }
}

/** Counts commits that only the session has. */
async function ownCommits(
  run: RunGit,
  { common, branch }: SessionRecord,
  tips: { head: string | undefined; branch: string | undefined },
): Promise<number> {
  const from = [tips.head, tips.branch].filter((tip) => tip !== undefined)
  if (from.length === 0) return 0
  const elsewhere = ['--not', `--exclude=${branch}`, '--branches', '--tags', '--remotes']
  return Number(await gitOutput(run, common, ['rev-list', '--count', ...from, ...elsewhere]))
}

/** Returns all paths that differ from the base commit: committed, uncommitted and untracked. */
export async function changedSinceBase(run: RunGit, session: SessionRecord): Promise<string[]> {
  const links = await linksOf(session)
  if (links === undefined) return []
  const git = inWorktree(session, links)
  const diff = ['diff', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty']
  const tracked = await gitLines(run, session.worktree, [...git, ...diff, '-z', session.base, '--'])
  const untracked = await gitLines(run, session.worktree, [...git, 'ls-files', '-o', '--exclude-standard', '-z'])
  return [...new Set([...tracked, ...untracked])].sort()
}

/** Whether a folder exists. */
export async function isFolder(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => undefined))?.isDirectory() === true
}
