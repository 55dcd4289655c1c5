import type { SessionWorktree } from '../../shared/agent/sessionRows.ts'
import { toFailure } from '../../shared/errors.ts'
import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { attempt, notify } from '../platform/notices.ts'
import { loadSessions, useSessions } from '../platform/sessions/sessionsStore.ts'
import { showTries } from '../platform/sessions/taskTries.ts'
import { stateOf, takeOver } from './worktreeActions.ts'
import { triesOf } from './tryStates.ts'

/** Takes over the changes of a try, and offers to drop the others of its task. */
export async function takeTry({ id, name, try: own }: SessionWorktree): Promise<void> {
  const drop = { label: 'Drop the rest', run: () => attempt(() => dropRest(), 'The sessions could not be removed') }
  const dropRest = () => dropTries(own?.task ?? '', new Set([id]))
  const isTaken = await takeOver({ id, name }, [drop])
  if (!isTaken && own) showTries(own.task)
}

/**
 * Removes the sessions of a task except some. Asks first, stops those that work, and keeps work that is nowhere else for
 * 30 days.
 *
 * @param kept ids of worktrees
 */
export async function dropTries(task: string, kept: ReadonlySet<string>): Promise<void> {
  await loadSessions(false)
  const dropped = triesOf(useSessions.getState().rows ?? [], task).filter(({ worktree }) => !kept.has(worktree.id))
  const running = dropped.flatMap(({ worktree }) => (worktree.try.running ? [worktree.id] : []))
  const ids = dropped.map(({ worktree }) => worktree.id)
  const sessions = (await request('sessions.list', {})).filter(({ id }) => ids.includes(id))
  if (sessions.length === 0) return notify('info', 'There are no other sessions of this task.')
  const answer = await confirm({
    title: `Remove ${plural(sessions.length, 'session')} of this task?`,
    message: consequence(sessions, running.length),
    items: sessions.map((session) => `${session.name}: ${stateOf(session)}`),
    choices: [{ id: 'remove', label: `Remove ${plural(sessions.length, 'session')}`, variant: 'danger' }],
  })
  if (answer === null) return
  // Also waits for those that have ended and are being closed.
  await request('sessions.stopTries', { ids })
  const refs: string[] = []
  const failures: string[] = []
  for (const { id, name, hasWork } of sessions) {
    try {
      // What a session that worked until now has left is covered by the question.
      const ref = await request('sessions.remove', { id, confirmed: hasWork || running.includes(id) })
      if (ref !== null) refs.push(`git branch ${name} ${ref}`)
    } catch (error) {
      failures.push(`${name}: ${toFailure(error).message}`)
    }
  }
  await loadSessions(true)
  report(sessions.length - failures.length, refs, failures)
}

function consequence(sessions: readonly SessionSummary[], running: number): string {
  const withWork = sessions.filter(({ hasWork }) => hasWork).length
  const ignored = sessions.reduce((sum, session) => sum + session.ignored, 0)
  return [
    running > 0 ? `${plural(running, 'try works and is', 'tries work and are')} stopped first.` : '',
    withWork > 0 || running > 0
      ? 'Work that is nowhere else is kept for 30 days in a git reference.'
      : 'All their work is also elsewhere.',
    ignored > 0
      ? `${plural(ignored, 'other file')} that git ignores, such as build output, will be deleted with the worktrees.`
      : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function report(removed: number, refs: readonly string[], failures: readonly string[]): void {
  const restore =
    refs.length > 0 ? `To restore ${pluralNoun(refs.length, 'its', 'their')} work: ${refs.join(', ')}` : ''
  const detail = visibleText([...failures, restore].filter((part) => part !== '').join('\n'))
  notify(failures.length > 0 ? 'warning' : 'success', `Removed ${plural(removed, 'session')} of the task.`, {
    ...(detail !== '' && { detail }),
  })
}
