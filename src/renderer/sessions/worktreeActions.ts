import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import { visibleCommand, visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { attempt, notify, type NoticeAction } from '../platform/notices.ts'
import { chooseFolder } from '../platform/quickPick/chooseFolder.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { mergeSession, rebaseSession } from './sessionBranchActions.ts'
import { chooseTakeOver } from './takeOverStore.ts'
import { formatAge } from '../platform/formatAge.ts'

const nameRule = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*)?$/

/** Asks for a name, makes a worktree on a branch of its own, and opens it. */
export async function newSession(): Promise<void> {
  const chosen = await chooseFolder('Select the folder whose repository the session uses')
  if (chosen === null) return
  const folder = chosen === '.' ? {} : { folder: chosen }
  const name = await promptText({
    title: 'New session in a worktree',
    label: 'Name (optional). The branch is tizona/NAME.',
    button: 'Create session',
    problem: (text) => (nameRule.test(text.trim()) ? null : 'Use letters, digits, ".", "_" and "-".'),
  })
  if (name === null || !(await askForSetUp(folder))) return
  const created = await request('sessions.create', { ...folder, ...(name.trim() !== '' && { name: name.trim() }) })
  reportSkipped(created.skipped)
  await openWorktree(created.worktree)
}

/** Tells which files of `.worktreeinclude` a new worktree does not have. */
export function reportSkipped(files: readonly string[]): void {
  const skipped = files.length
  if (skipped > 0)
    notify(
      'warning',
      `${plural(skipped, 'file')} in .worktreeinclude ${pluralNoun(skipped, 'was', 'were')} not copied.`,
      {
        detail: `A copy would lead outside the folder, or exists already: ${listed(files.slice(0, 5))}.`,
      },
    )
}

/** Asks whether the set-up command of a folder may run in new worktrees. @returns false if the user cancels */
export async function askForSetUp(folder: { folder?: string } = {}): Promise<boolean> {
  const found = await request('sessions.setUpCommand', folder)
  if (found === null || found.approved) return true
  const answer = await confirm({
    title: 'Run the set-up command in new worktrees?',
    message:
      'The folder names a command that prepares its worktrees. It runs in the sandbox, once in each new worktree. If it changes, you are asked again.',
    // A line break would look like a blank.
    items: [visibleCommand(found.command).replaceAll('\n', '\u240a')],
    choices: [
      { id: 'skip', label: 'Create without it' },
      { id: 'allow', label: 'Allow command', variant: 'primary' },
    ],
  })
  if (answer === 'allow') await request('sessions.approveSetUp', { command: found.command, ...folder })
  return answer !== null
}

/** Opens a worktree in a window of its own. The browser shows it in place of the open folder, whose sessions go on. */
export async function openWorktree(folder: string): Promise<void> {
  await request('sessions.open', { folder, conversation: null })
}

const stateNames: Record<SessionSummary['state'], string> = {
  ready: '',
  creating: 'being created',
  removing: 'being removed',
  interrupted: 'interrupted',
  missing: 'folder is missing',
  orphaned: 'repository is gone',
  damaged: 'cannot be read by git',
}

/** Describes the state of a session in a few words. */
export function stateOf({ state, changed, hasWork, inUse, archived }: SessionSummary): string {
  const parts = [
    stateNames[state],
    plural(changed.length, 'changed file'),
    hasWork ? 'work that is nowhere else' : '',
    inUse ? 'open' : '',
    archived ? 'archived' : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** Lists the sessions of the repository, and opens, takes over, archives or removes one. */
export async function pickSession(): Promise<void> {
  const sessions = (await request('sessions.list', {})).toSorted(
    (one, other) => Number(one.archived) - Number(other.archived) || other.createdAt - one.createdAt,
  )
  const choice = await quickPick({
    title: 'Sessions in worktrees',
    placeholder: 'Session to open, take over or remove',
    empty: 'There are no sessions. "New session in a worktree" creates one.',
    items: sessions.map((session) => ({
      id: session.id,
      label: session.name,
      description: stateOf(session),
      detail: formatAge(session.createdAt),
      keywords: session.branch,
      icon: session.archived ? 'archive' : 'git-branch',
    })),
  })
  const session = sessions.find(({ id }) => id === choice?.id)
  if (session) await act(session)
}

async function act(session: SessionSummary): Promise<void> {
  const { id, name, branch, changed, archived, state, worktree } = session
  const step = await quickPick({
    title: `${name} (${branch})`,
    items: [
      ...(state === 'ready'
        ? [
            { id: 'open', label: 'Open', description: worktree, icon: 'folder-opened' },
            {
              id: 'takeOver',
              label: 'Take over…',
              description: `Merge ${plural(changed.length, 'changed file')} into this folder, for review`,
              icon: 'git-merge',
            },
            {
              id: 'merge',
              label: 'Merge branch',
              description: `Merge ${branch} into the branch of this folder`,
              icon: 'git-merge',
            },
            {
              id: 'rebase',
              label: 'Rebase',
              description: `Rebase ${branch} onto the branch of this folder`,
              icon: 'git-branch',
            },
          ]
        : []),
      { id: 'archive', label: archived ? 'Restore from archive' : 'Archive', icon: 'archive' },
      { id: 'remove', label: 'Remove…', description: 'Delete the worktree and its branch', icon: 'trash' },
    ],
  })
  if (step?.id === 'open') await openWorktree(worktree)
  else if (step?.id === 'takeOver') attempt(() => takeOver(session), 'Nothing was taken over')
  else if (step?.id === 'merge') attempt(() => mergeSession(session), 'Nothing was merged')
  else if (step?.id === 'rebase') attempt(() => rebaseSession(session), 'The session was not rebased')
  else if (step?.id === 'archive') await request('sessions.archive', { id, archived: !archived })
  else if (step?.id === 'remove') attempt(() => removeSession(session), 'The session could not be removed')
}

/**
 * Lets the user choose changes of a session, and takes them over.
 *
 * @param further actions of the notice about it
 * @returns whether the user did not cancel
 */
export async function takeOver(
  { id, name }: Pick<SessionSummary, 'id' | 'name'>,
  further: readonly NoticeAction[] = [],
): Promise<boolean> {
  const taken = await chooseTakeOver({ id, name })
  if (taken === null) return false
  const { changed, same, protectedPaths, skipped } = taken
  const left = [...protectedPaths, ...skipped.map(({ path }) => path)]
  if (changed.length === 0 && left.length === 0) {
    notify('info', `The folder already has the changes of "${name}".`, { actions: [...further] })
    return true
  }
  const known =
    same.length > 0 ? ` ${plural(same.length, 'file')} ${pluralNoun(same.length, 'was', 'were')} already the same.` : ''
  notify(left.length > 0 ? 'warning' : 'success', `Took over ${plural(changed.length, 'file')} of "${name}".${known}`, {
    ...(left.length > 0 && {
      detail: `Not taken over, because they are protected or cannot be read: ${listed(left)}.`,
    }),
    actions: [
      { label: 'Review', run: () => runCommand('view.review') },
      { label: 'Commit here', run: () => runCommand('git.prepareCommit', changed) },
      ...further,
    ],
  })
  return true
}

export async function removeSession(session: SessionSummary): Promise<void> {
  const { id, name, hasWork, state, worktree } = session
  const answer = await confirm({
    title: `Remove the session "${name}"?`,
    message: consequence(session),
    items: [visibleText(worktree)],
    choices: [{ id: 'remove', label: 'Remove session', variant: 'danger' }],
  })
  if (answer === null) return
  const confirmed = hasWork || state === 'missing' || state === 'orphaned'
  const ref = await request('sessions.remove', { id, confirmed })
  const detail = restoring(session, ref)
  notify('success', `Removed the session "${name}".`, { ...(detail !== null && { detail }) })
}

function consequence({ hasWork, ignored, state }: SessionSummary): string {
  if (state === 'orphaned') return 'Its repository is gone. Tizona forgets the session, and its folder stays.'
  if (state === 'missing')
    return `Its folder is missing. If it is only moved or on a disk that is absent, bring it back first. ${
      hasWork ? 'Its commits on no other branch are kept for 30 days.' : 'All its commits are also elsewhere.'
    }`
  if (state === 'damaged')
    return 'git cannot read it, so nobody can tell what work it has. Removing it fails until it is repaired: run "git status" in its folder.'
  const work = hasWork
    ? 'It has work that is nowhere else: files that are not committed, changed files that git ignores, or commits on no other branch. The work is kept for 30 days.'
    : 'All its work is also elsewhere.'
  if (ignored === 0) return work
  return `${work} ${plural(ignored, 'other file')} that git ignores, such as build output, will be deleted.`
}

/** Returns how to restore what was kept. @param ref null if git keeps nothing */
function restoring({ name, hasWork, state, worktree }: SessionSummary, ref: string | null): string | null {
  if (state === 'orphaned') return `Its folder stays and can be deleted by hand: ${visibleText(worktree)}`
  if (ref !== null) return `Its work is kept for 30 days. To restore it: git branch ${name} ${ref}`
  if (hasWork)
    return 'Its changed files that git ignores are kept for 30 days. "tizona sessions list" shows their folder.'
  return null
}

function listed(paths: readonly string[]): string {
  return paths.map(visibleText).join(', ')
}
