import { useEffect, useRef, type ComponentType, type KeyboardEvent } from 'react'
import { plural } from '../../shared/text/plural.ts'
import { shortcutOf, type CommandId } from '../platform/commands.ts'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { useProblems } from '../platform/languages/problemsStore.ts'
import { showPanel, togglePanel, useLayout, type PanelView } from '../platform/layout/layoutStore.ts'
import { IconButton } from '../ui/index.ts'
import { LazyCallsView, LazyDebugConsole, LazyJobsPanel, LazyProblemsView } from './lazyViews.tsx'

interface PanelTab {
  title: string
  command: CommandId
  Component: ComponentType
}

const panelViews: Record<PanelView, PanelTab> = {
  problems: { title: 'Problems', command: 'problems.show', Component: LazyProblemsView },
  calls: { title: 'Call hierarchy', command: 'calls.show', Component: LazyCallsView },
  debug: {
    title: 'Debug console',
    command: 'view.debugConsole',
    Component: LazyDebugConsole,
  },
  jobs: { title: 'Jobs and terminals', command: 'jobs.show', Component: LazyJobsPanel },
}

// The keys of panelViews are PanelViews.
const order = Object.keys(panelViews) as PanelView[]

/** Number of errors and warnings on the Problems tab. */
function ProblemCount() {
  const { error, warning } = useProblems((state) => state.counts)
  if (error + warning === 0) return null
  return (
    <span className="ui-badge">
      <span aria-hidden>{error + warning}</span>
      <span className="visually-hidden">
        {plural(error, 'error')}, {plural(warning, 'warning')}
      </span>
    </span>
  )
}

function PanelTabs({ current }: { current: PanelView }) {
  const tabs = useRef<HTMLDivElement>(null)
  // A narrow panel scrolls its tabs.
  useEffect(() => {
    tabs.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = order[(order.indexOf(current) + step + order.length) % order.length]
    if (step === 0 || next === undefined) return
    event.preventDefault()
    showPanel(next)
    document.getElementById(`panel-tab-${next}`)?.focus()
  }
  return (
    <div className="panel-bar">
      <div ref={tabs} className="panel-tabs" role="tablist" aria-label="Bottom panel" onKeyDown={onKeyDown}>
        {order.map((view) => {
          const { title, command } = panelViews[view]
          const shortcut = shortcutOf(command)
          return (
            <button
              key={view}
              id={`panel-tab-${view}`}
              type="button"
              role="tab"
              className="panel-tab"
              aria-selected={view === current}
              aria-controls={view === current ? 'panel-view' : undefined}
              tabIndex={view === current ? 0 : -1}
              title={shortcut ? `${title} (${shortcut})` : title}
              onClick={() => showPanel(view)}
            >
              {title}
              {view === 'problems' && <ProblemCount />}
            </button>
          )
        })}
      </div>
      <IconButton icon="close" label="Hide panel" shortcut={shortcutOf('view.togglePanel')} onClick={togglePanel} />
    </div>
  )
}

/** The panel below the editor, with a tab for each of its views. */
export function BottomPanel() {
  const stored = useLayout((state) => state.panel.view)
  // A layout from another version may have no view, or one that does not exist here.
  const current = stored in panelViews ? stored : 'jobs'
  const { title, Component } = panelViews[current]
  return (
    <section className="workbench-part workbench-panel" data-region="panel" aria-label={title}>
      <PanelTabs current={current} />
      <div id="panel-view" className="panel-view" role="tabpanel" aria-labelledby={`panel-tab-${current}`}>
        <ErrorBoundary key={current} name={panelViews[current].title}>
          <Component />
        </ErrorBoundary>
      </div>
    </section>
  )
}
