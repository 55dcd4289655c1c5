import { handleCommand, runCommand } from '../platform/commands.ts'
import { focusAfterRender, focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { showSideBar, useLayout } from '../platform/layout/layoutStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { followWaiting, loadSessions, useSessions } from '../platform/sessions/sessionsStore.ts'

const actions = () => import('./worktreeActions.ts')

/** Registers the sessions view and the commands about sessions. @returns a function that unregisters them */
export function registerSessions(): () => void {
  const stops = [
    followWaiting(),
    useSessions.subscribe(({ waiting, latest }, before) => {
      if (waiting > before.waiting) announce(latest)
    }),
    handleCommand('view.sessions', (key) => {
      showSideBar('sessions')
      attempt(async () => {
        // The view may not have loaded them yet.
        await loadSessions(false)
        focusAfterRender(() => focusCard(typeof key === 'string' ? key : null))
      }, 'The sessions could not be loaded')
    }),
    handleCommand('git.newSession', async () =>
      attempt((await actions()).newSession, 'The session could not be created'),
    ),
    handleCommand('git.sessions', async () =>
      attempt((await actions()).pickSession, 'The sessions could not be loaded'),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Focuses what a session asks, by default the first one that asks. */
function focusCard(key: string | null): void {
  const items = [...document.querySelectorAll('.sessions-item')]
  const own = items.filter((item) => item.querySelector<HTMLElement>('.sessions-open')?.dataset['key'] === key)
  const cards = [...own, ...items].flatMap((item) => [
    ...item.querySelectorAll<HTMLElement>('[data-testid="approval-card"], .sessions-answer input'),
  ])
  if (cards[0]) cards[0].focus()
  else focusRegionNamed('side-bar')
}

/** Tells the user that a session of another folder waits, unless the view shows it already. */
function announce(key: string | null): void {
  const { sideBar } = useLayout.getState()
  if (sideBar.visible && sideBar.view === 'sessions') return
  notify('info', 'A session in another folder needs your answer.', {
    actions: [{ label: 'Show sessions', run: () => runCommand('view.sessions', key) }],
  })
}
