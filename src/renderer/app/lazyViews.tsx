import type { ComponentType } from 'react'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { contributeDiffView } from '../platform/editor/diffContributions.tsx'
import { contributeFileEditor } from '../platform/editor/fileEditors.tsx'
import { contributeFileView } from '../platform/editor/fileViews.tsx'
import { contributePage } from '../platform/layout/pages.tsx'
import { isNotebookPath } from '../../shared/notebook/notebookPath.ts'
import { notebooks } from '../notebook/registerNotebook.ts'
import { useDebug } from '../platform/debug/debugStore.ts'
import { useHasGitDialog } from '../git/dialogStores.ts'
import { useFolderPicker } from '../platform/files/folderPicker.ts'
import { useMcp } from '../platform/mcpStore.ts'
import { useTaskTries } from '../platform/sessions/taskTries.ts'
import { useCompare } from '../sessions/compareStore.ts'
import { useTakeOver } from '../sessions/takeOverStore.ts'
import { useRename } from '../symbols/renameStore.ts'
import { TimelineHeader } from '../timeline/TimelineHeader.tsx'
import { Spinner } from '../ui/index.ts'
import { useAudit } from './auditStore.ts'
import { useLog } from './logStore.ts'

const loading = (
  <div className="workbench-loading">
    <Spinner />
  </div>
)

/**
 * Creates a component that loads a dialog when it first opens.
 * @param useIsOpen hook that returns whether the dialog is open
 */
function lazyDialog(useIsOpen: () => boolean, load: () => Promise<ComponentType>): ComponentType {
  const View = lazyView(load, null)
  return function LazyDialog() {
    return (
      useIsOpen() && (
        <div className="lazy-dialog">
          <ErrorBoundary name="Dialog">
            <View />
          </ErrorBoundary>
        </div>
      )
    )
  }
}

/** Components that load when they are first shown. */
export const LazyChatPanel = lazyView(async () => (await import('../chat/ChatPanel.tsx')).ChatPanel, loading)
export const LazyGitView = lazyView(async () => (await import('../git/GitView.tsx')).GitView, loading)
export const LazySessionsView = lazyView(
  async () => (await import('../sessions/SessionsView.tsx')).SessionsView,
  loading,
)
export const LazySearchPanel = lazyView(async () => (await import('../search/SearchPanel.tsx')).SearchPanel, loading)
const Timeline = lazyView(async () => (await import('../timeline/Timeline.tsx')).Timeline, <TimelineHeader open />)
function TimelineSection() {
  return (
    <ErrorBoundary name="Timeline" line="The timeline cannot be shown." instead={<TimelineHeader open />}>
      <Timeline />
    </ErrorBoundary>
  )
}
export const LazyTimeline = Object.assign(TimelineSection, { preload: Timeline.preload })
export const LazyDebugView = lazyView(async () => (await import('../debug/views/DebugView.tsx')).DebugView, loading)
const DebugToolbar = lazyView(async () => (await import('../debug/DebugToolbar.tsx')).DebugToolbar, null)
/** The toolbar of debug sessions; nothing without one. */
export function LazyDebugToolbar() {
  return (
    useDebug(({ sessions }) => sessions.length > 0) && (
      <div className="lazy-toolbar">
        <ErrorBoundary
          name="Debug toolbar"
          line="The debug toolbar cannot be shown. Its commands are in the command palette."
        >
          <DebugToolbar />
        </ErrorBoundary>
      </div>
    )
  )
}
export const LazyDebugConsole = lazyView(
  async () => (await import('../debug/console/DebugConsole.tsx')).DebugConsole,
  loading,
)
export const LazyProblemsView = lazyView(
  async () => (await import('../problems/ProblemsView.tsx')).ProblemsView,
  loading,
)
export const LazyCallsView = lazyView(async () => (await import('../calls/CallsView.tsx')).CallsView, loading)
export const LazyJobsPanel = lazyView(async () => (await import('../terminal/JobsPanel.tsx')).JobsPanel, loading)

export const LazyReviewPanel = lazyView(async () => (await import('../review/ReviewPanel.tsx')).ReviewPanel, loading)

export const LazyTakeOverDialog = lazyDialog(
  () => useTakeOver(({ pending }) => pending !== null),
  async () => (await import('../sessions/TakeOverDialog.tsx')).TakeOverDialog,
)
export const LazyStartTriesDialog = lazyDialog(
  () => useTaskTries(({ draft }) => draft !== null),
  async () => (await import('../sessions/StartTriesDialog.tsx')).StartTriesDialog,
)
export const LazyTriesDialog = lazyDialog(
  () => useTaskTries(({ task }) => task !== null),
  async () => (await import('../sessions/TriesDialog.tsx')).TriesDialog,
)
export const LazyCompareDialog = lazyDialog(
  () => useCompare(({ sides }) => sides !== null),
  async () => (await import('../sessions/CompareDialog.tsx')).CompareDialog,
)
export const LazyRenameDialog = lazyDialog(
  () => useRename(({ pending }) => pending !== null),
  async () => (await import('../symbols/RenameDialog.tsx')).RenameDialog,
)
export const LazyGitDialogs = lazyDialog(
  useHasGitDialog,
  async () => (await import('../git/GitDialogs.tsx')).GitDialogs,
)
export const LazyFolderPicker = lazyDialog(
  () => useFolderPicker(({ question }) => question !== null),
  async () => (await import('../welcome/FolderPicker.tsx')).FolderPicker,
)
export const LazyTrustDialog = lazyDialog(
  () => useMcp(({ reviewing }) => reviewing !== null),
  async () => (await import('../settings/mcp/TrustDialog.tsx')).TrustDialog,
)
export const LazyLogDialog = lazyDialog(
  () => useLog(({ log }) => log !== null),
  async () => (await import('./LogDialog.tsx')).LogDialog,
)
export const LazyAuditDialog = lazyDialog(
  () => useAudit(({ audit }) => audit !== null),
  async () => (await import('./AuditDialog.tsx')).AuditDialog,
)

contributePage(
  'console',
  lazyView(async () => (await import('../console/ToolConsole.tsx')).ToolConsole, loading),
)
contributePage(
  'extensions',
  lazyView(async () => (await import('../extensions/ExtensionsPage.tsx')).ExtensionsPage, loading),
)
contributePage(
  'plugins',
  lazyView(async () => (await import('../extensions/plugins/PluginsPage.tsx')).PluginsPage, loading),
)
contributePage(
  'firstSteps',
  lazyView(async () => (await import('../welcome/firstSteps/FirstStepsPage.tsx')).FirstStepsPage, loading),
)
contributePage(
  'settings',
  lazyView(async () => (await import('../settings/SettingsView.tsx')).SettingsView, loading),
)
contributePage(
  'settingsJson',
  lazyView(async () => (await import('../settings/SettingsJsonPage.tsx')).SettingsJsonPage, loading),
)
contributePage(
  'keymap',
  lazyView(async () => (await import('../keymap/KeymapPage.tsx')).KeymapPage, loading),
)
contributePage(
  'modelCheck',
  lazyView(async () => (await import('../modelCheck/ModelCheckPage.tsx')).ModelCheckPage, loading),
)
contributePage(
  'gitLog',
  lazyView(async () => (await import('../git/LogPage.tsx')).LogPage, loading),
)
contributePage(
  'preview',
  lazyView(async () => (await import('../webPreview/PreviewPage.tsx')).PreviewPage, loading),
)
contributeDiffView(
  'gitConflict',
  lazyView(async () => (await import('../git/ConflictView.tsx')).ConflictView, loading),
)
contributeFileView(
  'library',
  lazyView(async () => (await import('../editor/LibraryFileView.tsx')).LibraryFileView, loading),
)
contributeFileView(
  'userFile',
  lazyView(async () => (await import('../settings/UserFileView.tsx')).UserFileView, loading),
)
contributeFileView(
  'image',
  lazyView(async () => (await import('../preview/ImageView.tsx')).ImageView, loading),
)
contributeFileView(
  'hex',
  lazyView(async () => (await import('../preview/HexView.tsx')).HexView, loading),
)
contributeFileView(
  'largeText',
  lazyView(async () => (await import('../preview/LargeTextView.tsx')).LargeTextView, loading),
)
contributeFileView(
  'csv',
  lazyView(async () => (await import('../preview/CsvView.tsx')).CsvView, loading),
)
contributeFileView(
  'markdown',
  lazyView(async () => (await import('../platform/markdown/MarkdownPreview.tsx')).MarkdownPreview, loading),
)
contributeFileEditor({
  kind: 'notebook',
  matches: isNotebookPath,
  View: lazyView(async () => {
    const [{ default: NotebookView }] = await Promise.all([import('../notebook/NotebookView.tsx'), notebooks.load()])
    return NotebookView
  }, loading),
  fill: async (path) => (await notebooks.load()).fillNotebook(path),
})
