import { lazyPart } from '../platform/lazyView.tsx'
import { contributePage } from '../platform/pages.tsx'
import { Spinner } from '../ui/index.ts'

const loading = (
  <div className="workbench-loading">
    <Spinner />
  </div>
)

/** Components that load when they are first shown. */
export const ChatHost = lazyPart(async () => (await import('../chat/ChatPanel.tsx')).ChatPanel, loading)
export const JobsHost = lazyPart(async () => (await import('../terminal/JobsPanel.tsx')).JobsPanel, loading)

contributePage(
  'console',
  lazyPart(async () => (await import('../console/ToolConsole.tsx')).ToolConsole, loading),
)
contributePage(
  'settings',
  lazyPart(async () => (await import('../settings/SettingsView.tsx')).SettingsView, loading),
)
