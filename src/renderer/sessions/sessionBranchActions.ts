import { toFailure } from '../../shared/errors.ts'
import type { SessionBranch, SessionSummary } from '../../shared/git/sessionRequests.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { currentWorkspace } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { attempt, notify } from '../platform/notices.ts'

type Session = Pick<SessionSummary, 'id' | 'name' | 'worktree'>

/** Maximum number of files that a question names. */
const maxNamed = 10

/** Merges the branch of a session into that of the open folder. Names uncommitted and protected files first. */
export async function mergeSession(session: Session): Promise<void> {
  const before = await request('sessions.branch', { id: session.id })
  const repository = before.folder
  if (currentWorkspace()?.root !== repository)
    return notify('info', `Open ${visibleText(repository)} to merge into its branch.`)
  if (before.unfinished) return offerAbort(session, unfinishedText(session), '')
  const without = before.ahead > 0 ? 'Merge without them' : null
  if (!(await commitFirst(session, before, 'A merge brings only what is committed.', without))) return
  const branch = await request('sessions.branch', { id: session.id })
  const { source, target, ahead } = branch
  if (ahead === 0)
    return notify('info', `${visibleText(target ?? 'The folder')} already has all commits of "${session.name}".`)
  if (!(await confirmProtected(session, branch, 'Merge them'))) return
  const allowProtected = branch.protectedPaths.length > 0 && branch.head
  runCommand('git.mergeBranch', { repository, branch: source, session: session.id, allowProtected })
}

/** Rebases a session onto the branch of its repository's folder. Names uncommitted and protected files first. */
export async function rebaseSession(session: Session): Promise<void> {
  const { id, name } = session
  const before = await request('sessions.branch', { id })
  if (before.unfinished) return offerAbort(session, unfinishedText(session), '')
  if (!(await commitFirst(session, before, 'A rebase needs a worktree without uncommitted files.', null))) return
  const branch = await request('sessions.branch', { id })
  if (!(await confirmProtected(session, branch, 'Rebase them'))) return
  try {
    await request('sessions.rebase', { id, allowProtected: branch.protectedPaths.length > 0 && branch.head })
  } catch (error) {
    const { message, reason, code } = toFailure(error)
    if (code === 'no_change') return notify('info', message)
    if (reason !== 'conflicts') throw error
    return offerAbort(session, message, 'Resolve the conflicts in the source control view of the worktree.')
  }
  notify('success', `Rebased "${name}" onto ${visibleText(branch.target ?? branch.targetHead.slice(0, 8))}.`)
}

const unfinishedText = ({ name }: Session) => `The session "${name}" has an unfinished merge or rebase.`

/** Names the first files of a list for a question. */
function itemsOf(files: readonly string[]): string[] {
  const more = files.length - maxNamed
  return [...files.slice(0, maxNamed).map(visibleText), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** Names the protected files in the commits of a session. @returns whether to go on */
async function confirmProtected({ name }: Session, { protectedPaths }: SessionBranch, label: string): Promise<boolean> {
  const count = protectedPaths.length
  if (count === 0) return true
  const answer = await confirm({
    title: `"${name}" changes ${plural(count, 'protected file')}`,
    message: 'Such files can run programs on your machine later. Check them first. Hooks of Git do not run this time.',
    items: itemsOf(protectedPaths),
    choices: [{ id: 'allow', label, variant: 'danger' }],
  })
  return answer === 'allow'
}

/** Offers the worktree, whose source control view has the conflicts, or to abort. */
function offerAbort({ id, name, worktree }: Session, message: string, detail: string): void {
  const abort = async (): Promise<void> => {
    const { uncommitted } = await request('sessions.branch', { id })
    if (uncommitted.length > 0) {
      const answer = await confirm({
        title: `Abort the rebase of "${name}"?`,
        message: 'Your resolutions and changes in these files are discarded, and so are commits of the rebase.',
        items: itemsOf(uncommitted),
        choices: [{ id: 'abort', label: 'Abort rebase', variant: 'danger' }],
      })
      if (answer === null) return
    }
    await request('sessions.abortRebase', { id, confirmed: uncommitted.length > 0 })
    notify('success', `Aborted the rebase of "${name}".`)
  }
  const open = () => request('sessions.open', { folder: worktree, conversation: null })
  notify('warning', message, {
    ...(detail !== '' && { detail }),
    actions: [
      {
        label: 'Open worktree',
        run: () => attempt(open, 'The worktree could not be opened'),
      },
      { label: 'Abort rebase', run: () => attempt(abort, 'The rebase could not be aborted') },
    ],
  })
}

/**
 * Names the uncommitted files of a session, and offers to commit them there.
 *
 * @param without label of the choice that leaves them out; null if there is none
 * @returns whether to go on
 */
async function commitFirst(
  { id, name }: Session,
  { uncommitted, source }: SessionBranch,
  why: string,
  without: string | null,
): Promise<boolean> {
  const count = uncommitted.length
  if (count === 0) return true
  const answer = await confirm({
    title: `"${name}" has ${plural(count, 'uncommitted file')}`,
    message: `${why} "Commit here" commits ${pluralNoun(count, 'this file', 'these files')} to ${visibleText(source)}.`,
    items: itemsOf(uncommitted),
    choices: [
      ...(without === null ? [] : [{ id: 'skip' as const, label: without }]),
      { id: 'commit', label: 'Commit here…', variant: 'primary' },
    ],
  })
  if (answer !== 'commit') return answer === 'skip'
  const message = await promptText({
    title: `Commit ${plural(count, 'file')} to ${visibleText(source)}`,
    label: 'Commit message',
    button: 'Commit',
    problem: (text) => (text.trim() === '' ? 'Describe what the commit changes.' : null),
  })
  if (message === null) return false
  await request('sessions.commit', { id, message })
  return true
}
