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

/** Merges the branch of a session into that of the open folder. Names uncommitted files first. */
export async function mergeSession(session: Session): Promise<void> {
  const before = await request('sessions.branch', { id: session.id })
  const repository = before.folder
  if (currentWorkspace()?.root !== repository)
    return notify('info', `Open ${visibleText(repository)} to merge into its branch.`)
  const without = before.ahead > 0 ? 'Merge without them' : null
  if (!(await commitFirst(session, before, 'A merge brings only what is committed.', without))) return
  const { source, target, ahead } = await request('sessions.branch', { id: session.id })
  if (ahead === 0)
    return notify('info', `${visibleText(target ?? 'The folder')} already has all commits of "${session.name}".`)
  runCommand('git.mergeBranch', { repository, branch: source })
}

/** Rebases a session onto the branch of its repository's folder. Names uncommitted files first. */
export async function rebaseSession(session: Session): Promise<void> {
  const { id, name } = session
  const branch = await request('sessions.branch', { id })
  if (branch.unfinished) return offerAbort(session, `The session "${name}" has an unfinished merge or rebase.`, '')
  if (!(await commitFirst(session, branch, 'A rebase needs a worktree without uncommitted files.', null))) return
  try {
    await request('sessions.rebase', { id })
  } catch (error) {
    const { message, reason, code } = toFailure(error)
    if (code === 'no_change') return notify('info', message)
    if (reason !== 'conflicts') throw error
    return offerAbort(session, message, 'Resolve the conflicts in the source control view of the worktree.')
  }
  notify('success', `Rebased "${name}" onto ${visibleText(branch.target ?? branch.targetHead.slice(0, 8))}.`)
}

/** Offers the worktree, whose source control view has the conflicts, or to abort. */
function offerAbort({ id, name, worktree }: Session, message: string, detail: string): void {
  const abort = async (): Promise<void> => {
    await request('sessions.abortRebase', { id })
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
  const more = count - maxNamed
  const answer = await confirm({
    title: `"${name}" has ${plural(count, 'uncommitted file')}`,
    message: `${why} "Commit here" commits ${pluralNoun(count, 'this file', 'these files')} to ${visibleText(source)}.`,
    items: [...uncommitted.slice(0, maxNamed).map(visibleText), ...(more > 0 ? [`and ${more} more`] : [])],
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
