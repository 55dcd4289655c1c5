import type { KeyboardEvent } from 'react'
import { activeTab, useTabs } from '../platform/editor/tabsStore.ts'
import { runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import { toggleSideBar, useIsPanelVisible, useLayout, type SideBarView } from '../platform/layout/layoutStore.ts'
import { useReview } from '../platform/review/reviewStore.ts'
import { liveSessions, useDebug } from '../platform/debug/debugStore.ts'
import { useSessions } from '../platform/sessions/sessionsStore.ts'
import { changeCount, useGit } from '../platform/git/gitStore.ts'
import { plural } from '../../shared/text/plural.ts'
import { Icon } from '../ui/index.ts'

interface ActivityProps {
  icon: string
  label: string
  command: CommandId
  active: boolean
  /** Whether the button shows a side bar view. The active view is marked. */
  view?: boolean
  /** Number shown on the icon, with its description. */
  badge?: { count: number; description: string }
  onClick?: () => void
}

function Activity({ icon, label, command, active, view = false, badge, onClick }: ActivityProps) {
  const shortcut = shortcutOf(command)
  return (
    <button
      type="button"
      className="activity"
      aria-label={badge ? `${label}, ${badge.description}` : label}
      title={shortcut ? `${label} (${shortcut})` : label}
      aria-pressed={active}
      data-view={view || undefined}
      onClick={onClick ?? (() => runCommand(command))}
    >
      <Icon name={icon} />
      {badge && (
        <span className="activity-badge" aria-hidden>
          {badge.count > 99 ? '99+' : badge.count}
        </span>
      )}
    </button>
  )
}

/** Buttons at the left edge that show views and panels. Up and Down move the focus between them. */
export function ActivityBar() {
  const shown = useIsPanelVisible('sideBar')
  const current = useLayout((state) => state.sideBar.view)
  const jobs = useLayout(({ panel }) => panel.visible && panel.view === 'jobs')
  const pending = useReview((state) => state.pending.files.length)
  const debugging = useDebug((state) => liveSessions(state.sessions).length)
  const waiting = useSessions((state) => state.waiting)
  const tab = useTabs(activeTab)
  const changes = useGit(changeCount)
  const page = tab?.kind === 'page' ? tab.page : null

  function view(name: SideBarView, command: CommandId): { active: boolean; view: true; onClick: () => void } {
    const active = shown && current === name
    return { active, view: true, onClick: () => (active ? toggleSideBar() : void runCommand(command)) }
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const index = buttons.findIndex((button) => button === document.activeElement)
    buttons[(index + step + buttons.length) % buttons.length]?.focus()
    event.preventDefault()
  }

  return (
    <nav className="activitybar" aria-label="Views" data-region="activity-bar" onKeyDown={onKeyDown}>
      <Activity icon="files" label="Explorer" command="view.explorer" {...view('explorer', 'view.explorer')} />
      <Activity icon="search" label="Search" command="view.search" {...view('search', 'view.search')} />
      <Activity
        icon="source-control"
        label="Source control"
        command="view.git"
        badge={changes === 0 ? undefined : { count: changes, description: plural(changes, 'change') }}
        {...view('git', 'view.git')}
      />
      <Activity
        icon="debug-alt"
        label="Run and debug"
        command="view.debug"
        badge={debugging === 0 ? undefined : { count: debugging, description: plural(debugging, 'session') }}
        {...view('debug', 'view.debug')}
      />
      <Activity
        icon="checklist"
        label="Review"
        command="view.review"
        badge={pending === 0 ? undefined : { count: pending, description: `${plural(pending, 'file')} to review` }}
        {...view('review', 'view.review')}
      />
      <Activity
        icon="comment-discussion"
        label="Sessions"
        command="view.sessions"
        badge={waiting === 0 ? undefined : { count: waiting, description: `${plural(waiting, 'answer')} needed` }}
        {...view('sessions', 'view.sessions')}
      />
      <Activity icon="tools" label="Tool console" command="view.console" active={page === 'console'} />
      <Activity
        icon="terminal"
        label="Jobs and terminals"
        command="jobs.show"
        active={jobs}
        onClick={() => runCommand(jobs ? 'view.togglePanel' : 'jobs.show')}
      />
      <span className="activity-space" />
      <Activity icon="settings-gear" label="Settings" command="settings.open" active={page === 'settings'} />
    </nav>
  )
}
