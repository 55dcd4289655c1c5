import { handleCommand, runCommand } from '../platform/commands.ts'
import { focusAfterRender, focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { showSideBar, useLayout } from '../platform/layout/layoutStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { followWaiting, useSessions } from '../platform/sessions/sessionsStore.ts'

const actions = () => import('./worktreeActions.ts')

/** Registers the sessions view and the commands about sessions. @returns a function that unregisters them */
export function registerSessions(): () => void {
  const stops = [
    followWaiting(),
    useSessions.subscribe(({ waiting }, before) => {
      if (waiting > before.waiting) announce()
    }),
    handleCommand('view.sessions', () => {
      showSideBar('sessions')
      focusAfterRender(() => {
        const first = document.querySelector<HTMLElement>(
          '.sessions [data-testid="approval-card"], .sessions-answer input',
        )
        if (first) first.focus()
        else focusRegionNamed('side-bar')
      })
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

/** Tells the user that a session of another folder waits, unless the view shows it already. */
function announce(): void {
  const { sideBar } = useLayout.getState()
  if (sideBar.visible && sideBar.view === 'sessions') return
  notify('info', 'A session in another folder needs your answer.', {
    actions: [{ label: 'Show sessions', run: () => runCommand('view.sessions') }],
  })
}
