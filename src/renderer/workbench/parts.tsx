import type { ComponentType } from 'react'
import type { PageName } from '../editor/store.ts'
import { lazyPart } from './lazyPart.tsx'
import { Spinner } from './ui/index.ts'

const loading = (
  <div className="workbench-loading">
    <Spinner />
  </div>
)

/** Parts that are loaded when they are first shown. */
export const ChatHost = lazyPart(async () => (await import('../chat/ChatPanel.tsx')).ChatPanel, loading)
export const JobsHost = lazyPart(async () => (await import('../terminal/JobsPanel.tsx')).JobsPanel, loading)
const ToolConsole = lazyPart(async () => (await import('../console/ToolConsole.tsx')).ToolConsole, loading)
const SettingsView = lazyPart(async () => (await import('../settings/SettingsView.tsx')).SettingsView, loading)

const pages: Record<PageName, ComponentType> = { settings: SettingsView, console: ToolConsole }

/** A page of the workbench, as a tab shows it. */
export function PageHost({ page }: { page: PageName }) {
  const Page = pages[page]
  return (
    <div className="workbench-page">
      <Page />
    </div>
  )
}
