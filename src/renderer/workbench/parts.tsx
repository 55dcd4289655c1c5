import { lazy, Suspense, type ComponentType } from 'react'
import type { PageName } from '../editor/store.ts'
import { Spinner } from './ui/index.ts'

/** Parts that are loaded when they are first shown. */
const ChatPanel = lazy(async () => ({ default: (await import('../chat/ChatPanel.tsx')).ChatPanel }))
const JobsPanel = lazy(async () => ({ default: (await import('../terminal/JobsPanel.tsx')).JobsPanel }))
const ToolConsole = lazy(async () => ({ default: (await import('../console/ToolConsole.tsx')).ToolConsole }))
const SettingsView = lazy(async () => ({ default: (await import('../settings/SettingsView.tsx')).SettingsView }))

const pages: Record<PageName, ComponentType> = { settings: SettingsView, console: ToolConsole }

const loading = (
  <div className="workbench-loading">
    <Spinner />
  </div>
)

/** A page of the workbench, as a tab shows it. */
export function PageHost({ page }: { page: PageName }) {
  const Page = pages[page]
  return (
    <Suspense fallback={loading}>
      <div className="workbench-page">
        <Page />
      </div>
    </Suspense>
  )
}

export function ChatHost() {
  return (
    <Suspense fallback={loading}>
      <ChatPanel />
    </Suspense>
  )
}

export function JobsHost() {
  return (
    <Suspense fallback={loading}>
      <JobsPanel />
    </Suspense>
  )
}
