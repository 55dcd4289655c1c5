import { constants } from 'node:fs'
import { cp, lstat, rm } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../base/makeFolder.ts'
import type { SessionDeps } from './sessionDeps.ts'
import { commitOf, gitLines, gitOutput } from './sessionGit.ts'
import type { KeptWork, SessionRecord } from './sessionRecords.ts'
import { isFolder } from './sessionWork.ts'

// The work of removed sessions: a commit that a reference keeps, and copies of ignored files in the user data.

/** Days for which the work of a removed session is kept. */
export const daysKept = 30

/** Author of commits that keep work. */
const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Tizona'],
    [`GIT_${role}_EMAIL`, 'tizona@localhost'],
  ]),
)

/** Returns the reference that keeps the work of a session. */
export function keptRef({ name, id }: SessionRecord): string {
  return `refs/tizona/kept/${name}-${id.slice(0, 8)}`
}

/** Returns the commit to keep after an interruption, if another one was kept before. */
async function extended(deps: SessionDeps, session: SessionRecord, before: string, commit: string): Promise<string> {
  if (await isAncestor(deps, session, commit, before)) return before
  if (await isAncestor(deps, session, before, commit))
    return (await addsSomething(deps, session, before, commit)) ? commit : before
  return commitTree(deps, session, `${commit}^{tree}`, [commit, before])
}

async function isAncestor({ run }: SessionDeps, { common }: SessionRecord, ancestor: string, commit: string) {
  return (await run(common, ['merge-base', '--is-ancestor', ancestor, commit])).code === 0
}

/**
 * Whether a commit has a file that the commit kept before lacks. After an interrupted removal, only files are missing.
 */
async function addsSomething({ run }: SessionDeps, { common }: SessionRecord, before: string, commit: string) {
  const args = ['diff-tree', '-r', '--no-renames', '--diff-filter=AMT', '--name-only', before, commit]
  return (await gitLines(run, common, args)).length > 0
}

/** Makes a commit of a tree with the tips as parents, in no branch. */
export async function commitTree(
  { run }: SessionDeps,
  session: SessionRecord,
  tree: string,
  tips: readonly (string | undefined)[],
): Promise<string> {
  const parents = [...new Set(tips.filter((tip) => tip !== undefined))]
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', `Work of ${session.name}`]
  return (await gitOutput(run, session.common, args, { environment: author })).trim()
}

/** Returns one commit that has all these in its history. */
export async function joined(
  deps: SessionDeps,
  session: SessionRecord,
  { head, branch }: { head: string | undefined; branch: string | undefined },
): Promise<string | undefined> {
  if (head === undefined || branch === undefined || head === branch) return head ?? branch
  if (await isAncestor(deps, session, branch, head)) return head
  if (await isAncestor(deps, session, head, branch)) return branch
  return commitTree(deps, session, `${head}^{tree}`, [head, branch])
}

/** Keeps a commit that appeared on the branch after the files were kept. The files stay those of the kept commit. */
export async function keepTip(deps: SessionDeps, session: SessionRecord, tip: string): Promise<void> {
  const before = await commitOf(deps.run, session.common, keptRef(session))
  if (before === undefined || (await isAncestor(deps, session, before, tip))) return storeKept(deps, session, tip)
  if (await isAncestor(deps, session, tip, before)) return
  await storeKept(deps, session, await commitTree(deps, session, `${before}^{tree}`, [before, tip]))
}

/** Makes a reference to a commit, for 30 days. What was kept before stays in its history. */
export async function keepCommit(deps: SessionDeps, session: SessionRecord, commit: string): Promise<void> {
  const before = await commitOf(deps.run, session.common, keptRef(session))
  await storeKept(deps, session, before === undefined ? commit : await extended(deps, session, before, commit))
}

async function storeKept(deps: SessionDeps, session: SessionRecord, kept: string): Promise<void> {
  const { run, step } = deps
  step?.('keep')
  await gitOutput(run, session.common, ['update-ref', keptRef(session), kept])
  await recordKept(deps, session, { commit: kept })
}

/** Records what is kept of a session, for 30 days from now. Other facts of its kept work stay. */
async function recordKept(
  { records }: SessionDeps,
  session: SessionRecord,
  kept: Partial<Pick<KeptWork, 'commit' | 'files'>>,
): Promise<void> {
  const { name, folder, common, base } = session
  const ref = keptRef(session)
  await records.update((file) => {
    const known = file.kept.find((work) => work.ref === ref && work.folder === folder)
    const until = Date.now() + daysKept * 24 * 3600 * 1000
    const work = { commit: base, ...known, ...kept, name, folder, common, ref, until }
    return { ...file, kept: [...file.kept.filter((other) => other !== known), work] }
  })
}

/** Whether it can be copied: sockets and pipes cannot. */
async function isFileOrFolder(file: string): Promise<boolean> {
  const stats = await lstat(file)
  return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()
}

/** Copies files and nested repositories that git ignores to the user data. */
export async function keepCopies(deps: SessionDeps, session: SessionRecord, files: readonly string[]): Promise<void> {
  const folder = path.join(deps.storage, `kept-${session.id}`)
  for (const file of files) {
    const source = path.join(session.worktree, file)
    const target = path.join(folder, file)
    await makeFolder(path.dirname(target))
    const options = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE }
    // An interrupted removal may have copied it before.
    if (!file.endsWith('/')) await rm(target, { force: true })
    await cp(source, target, { ...options, filter: isFileOrFolder })
  }
  await recordKept(deps, session, { files: folder })
}

/** Forgets kept work whose time is over. What cannot be deleted now is left for the next start. */
export async function expireWork(deps: SessionDeps, work: KeptWork): Promise<void> {
  if (work.until > Date.now()) return
  await forgetWork(deps, work).catch(() => undefined)
}

async function forgetWork({ records, run, storage }: SessionDeps, work: KeptWork): Promise<void> {
  if (await isFolder(work.common)) {
    const tip = await commitOf(run, work.common, work.ref)
    if (tip === work.commit) await run(work.common, ['update-ref', '-d', work.ref, tip])
  }
  // Copies that Tizona made in its own data.
  if (work.files !== undefined && path.dirname(work.files) === storage)
    await rm(work.files, { recursive: true, force: true })
  await records.update((file) => ({ ...file, kept: file.kept.filter(({ ref }) => ref !== work.ref) }))
}
