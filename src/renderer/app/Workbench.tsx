import { useEffect, useRef, type ReactNode, type ComponentType } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { EditorArea } from '../editor/EditorArea.tsx'
import { activeTab, useTabs } from '../platform/editor/tabsStore.ts'
import { closeTab } from '../editor/closeTabs.ts'
import { Welcome } from '../welcome/Welcome.tsx'
import { ActivityBar } from './ActivityBar.tsx'
import { BottomPanel } from './BottomPanel.tsx'
import { useApp, useWorkspace } from '../platform/appState.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { RemoteBars } from './RemoteBar.tsx'
import { ConnectionBar, ConnectionPage, StartFailure } from './Connection.tsx'
import { useBridgeStatus } from '../platform/bridge/bridge.ts'
import { FolderTrustBanner, FolderTrustDialog } from './FolderTrust.tsx'
import {
  initialSizes,
  minWidths,
  useIsPanelVisible,
  useLayout,
  type SideBarView,
} from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { Notices, NoticeToasts } from './Notices.tsx'
import { PageHost } from '../platform/layout/pages.tsx'
import {
  LazyAuditDialog,
  LazyChatPanel,
  LazyCompareDialog,
  LazyDebugView,
  LazyDebugToolbar,
  LazyFolderPicker,
  LazyGitDialogs,
  LazyGitView,
  LazyLogDialog,
  LazyRenameDialog,
  LazyReviewPanel,
  LazySearchPanel,
  LazySessionsView,
  LazyStartTriesDialog,
  LazyTakeOverDialog,
  LazyTriesDialog,
  LazyTrustDialog,
} from './lazyViews.tsx'
import { QuickPick } from './QuickPick.tsx'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { useRestoredFolder } from './layoutPersistence.ts'
import { StatusBar } from './StatusBar.tsx'
import { TitleBar } from './TitleBar.tsx'
import { Button, Spinner } from '../ui/index.ts'
import { useStoredPanelSize } from '../platform/layout/useStoredPanelSize.ts'
import './workbench.css'
import { ExplorerView } from './ExplorerView.tsx'
import { TextPromptDialog } from './TextPromptDialog.tsx'

function EditorAndBottomPanel() {
  const visible = useLayout((state) => state.panel.visible)
  const { panel, saveSize } = useStoredPanelSize('panel', 240)
  return (
    <Group orientation="vertical" onLayoutChanged={(_shares, change) => saveSize(change)}>
      <Panel id="editor" minSize={120}>
        <main className="workbench-part" data-region="editor" aria-label="Editor">
          <ErrorBoundary name="Editor">
            <EditorArea />
            <LazyDebugToolbar />
          </ErrorBoundary>
          <NoticeToasts />
        </main>
      </Panel>
      {visible && <Separator className="workbench-separator" aria-label="Resize bottom panel" />}
      {visible && (
        <Panel {...panel} minSize={100}>
          <BottomPanel />
        </Panel>
      )}
    </Group>
  )
}

/** The body of a window with an open folder: activity bar, side bar, editor, bottom panel and chat. */
function FolderWorkbench() {
  const sideBar = useLayout((layout) => layout.sideBar)
  const showsSideBar = useIsPanelVisible('sideBar')
  const showsChat = useIsPanelVisible('chat')
  const zen = useLayout((layout) => layout.zen !== null)
  const key = useRestoredFolder((restored) => restored.layout)
  const start = initialSizes(innerWidth)
  const sideBarSize = useStoredPanelSize('side', start.side)
  const chatSize = useStoredPanelSize('chat', start.chat)
  // A layout from another version may name a view that does not exist here.
  const view = sideBarViews[sideBar.view] ?? sideBarViews.explorer
  return (
    <div className="workbench-body">
      {!zen && <ActivityBar />}
      <Group
        key={key}
        orientation="horizontal"
        className="workbench-main"
        onLayoutChanged={(_shares, change) => {
          sideBarSize.saveSize(change)
          chatSize.saveSize(change)
        }}
      >
        {showsSideBar && (
          <Panel {...sideBarSize.panel} minSize={minWidths.side} maxSize="45%">
            <aside className="workbench-part workbench-side" data-region="side-bar" aria-label={view.title}>
              <ErrorBoundary key={sideBar.view} name="Side bar">
                <view.Component />
              </ErrorBoundary>
            </aside>
          </Panel>
        )}
        {showsSideBar && <Separator className="workbench-separator" aria-label="Resize side bar" />}
        <Panel id="centre" minSize={minWidths.centre}>
          <EditorAndBottomPanel />
        </Panel>
        {showsChat && <Separator className="workbench-separator" aria-label="Resize chat panel" />}
        {showsChat && (
          <Panel {...chatSize.panel} minSize={minWidths.chat} maxSize="60%">
            <aside className="workbench-part workbench-chat" data-region="chat" aria-label="Chat">
              <ErrorBoundary name="Chat">
                <LazyChatPanel />
              </ErrorBoundary>
            </aside>
          </Panel>
        )}
      </Group>
    </div>
  )
}

/** The page of a window without a folder: the welcome page, or the settings. */
function EmptyWorkbenchPage() {
  const tab = useTabs(activeTab)
  const group = useTabs((state) => state.activeGroup)
  if (tab?.kind !== 'page') return <Welcome />
  return (
    <main className="workbench-lone-page" data-region="editor" aria-label="Page">
      <div className="workbench-lone-bar">
        <Button variant="ghost" icon="arrow-left" onClick={() => attempt(() => closeTab(group, tab.id))}>
          Back
        </Button>
      </div>
      <PageHost page={tab.page} />
    </main>
  )
}

/** The body of a window without a folder. Notices float over the whole window. */
function EmptyWorkbench() {
  return (
    <div className="workbench-alone">
      <EmptyWorkbenchPage />
      <NoticeToasts />
    </div>
  )
}

function WorkbenchFrame({ children }: { children: ReactNode }) {
  const workspace = useWorkspace()
  const zen = useLayout((layout) => layout.zen !== null) && workspace !== null
  return (
    <div className="workbench">
      {!zen && <TitleBar />}
      <ConnectionBar />
      <RemoteBars />
      <FolderTrustBanner />
      {children}
      {!zen && <StatusBar />}
      <Notices />
      <QuickPick />
      <LazyFolderPicker />
      <LazyLogDialog />
      <LazyAuditDialog />
      <FolderTrustDialog />
      <LazyTrustDialog />
      <LazyRenameDialog />
      <LazyGitDialogs />
      <LazyTakeOverDialog />
      <LazyStartTriesDialog />
      <LazyTriesDialog />
      <LazyCompareDialog />
      <ConfirmDialog />
      <TextPromptDialog />
    </div>
  )
}

/** Root component: shows the workbench once the state is loaded and the layout restored. */
export function Workbench() {
  const status = useBridgeStatus()
  const loaded = useApp((store) => store.state !== null)
  const failure = useApp((store) => store.failure)
  const workspace = useWorkspace()
  const restored = useRestoredFolder((session) => session.root === (workspace?.root ?? null))
  const ready = loaded && restored
  const hasFocusedStart = useRef(false)
  useEffect(() => {
    if (ready && !hasFocusedStart.current) {
      hasFocusedStart.current = true
      focusRegionNamed(workspace ? 'side-bar' : 'welcome')
    }
  }, [ready, workspace])
  // Keep a window that was connected visible, because its unsaved text may exist nowhere else.
  if (status.kind === 'detached' || (status.kind === 'refused' && !ready))
    return <ConnectionPage kind={status.kind} reason={status.reason} />
  if (!ready) {
    return (
      <div className="connection-page">
        {failure ? <StartFailure failure={failure} /> : <Spinner label="Starting Tizona" />}
      </div>
    )
  }
  return <WorkbenchFrame>{workspace ? <FolderWorkbench /> : <EmptyWorkbench />}</WorkbenchFrame>
}

/** The views of the side bar. `title` is the accessible name. */
const sideBarViews: Record<SideBarView, { title: string; Component: ComponentType }> = {
  explorer: { title: 'Explorer', Component: ExplorerView },
  review: { title: 'Review', Component: LazyReviewPanel },
  search: { title: 'Search', Component: LazySearchPanel },
  git: { title: 'Source control', Component: LazyGitView },
  debug: { title: 'Run and debug', Component: LazyDebugView },
  sessions: { title: 'Sessions', Component: LazySessionsView },
}
