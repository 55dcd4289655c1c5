import { useEffect, useRef, type ReactNode } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { EditorArea } from '../editor/EditorArea.tsx'
import { activeTab, useTabs } from '../platform/editor/tabsStore.ts'
import { TrustDialog } from '../settings/mcp/TrustDialog.tsx'
import { ExplorerView } from './ExplorerView.tsx'
import { SearchPanel } from '../search/SearchPanel.tsx'
import { closeTab } from '../editor/editorActions.ts'
import { RenameDialog } from '../symbols/RenameDialog.tsx'
import { FolderPicker } from '../welcome/FolderPicker.tsx'
import { Welcome } from '../welcome/Welcome.tsx'
import { ActivityBar } from './ActivityBar.tsx'
import { useApp, useWorkspace } from '../platform/appState.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { ConnectionBar, ConnectionPage, StartFailure } from './Connection.tsx'
import { useBridgeStatus } from '../platform/bridge/bridge.ts'
import { KeyboardHelp } from './KeyboardHelp.tsx'
import { LogDialog } from './LogDialog.tsx'
import { initialSizes, useLayout } from '../platform/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { Notices, NoticeToasts } from './Notices.tsx'
import { PageHost } from '../platform/pages.tsx'
import { ChatHost, JobsHost } from './lazyViews.tsx'
import { QuickPick } from './QuickPick.tsx'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { focusRegionNamed } from '../platform/focusRegions.ts'
import { useSession } from './layoutPersistence.ts'
import { StatusBar } from './StatusBar.tsx'
import { TitleBar } from './TitleBar.tsx'
import { Button, Spinner } from '../ui/index.ts'
import { useStoredPanelSize } from '../platform/useStoredPanelSize.ts'
import './workbench.css'

/** The editor, with jobs and terminals below. */
function Centre() {
  const visible = useLayout((state) => state.panel.visible)
  const { panel, saveSize } = useStoredPanelSize('panel', 240)
  return (
    <Group orientation="vertical" onLayoutChanged={(_shares, change) => saveSize(change)}>
      <Panel id="editor" minSize={120}>
        <main className="workbench-part" data-region="editor" aria-label="Editor">
          <ErrorBoundary name="The editor">
            <EditorArea />
          </ErrorBoundary>
          <NoticeToasts />
        </main>
      </Panel>
      {visible && <Separator className="workbench-separator" aria-label="Resize bottom panel" />}
      {visible && (
        <Panel {...panel} minSize={100}>
          <section className="workbench-part workbench-panel" data-region="panel" aria-label="Jobs and terminals">
            <ErrorBoundary name="The jobs panel">
              <JobsHost />
            </ErrorBoundary>
          </section>
        </Panel>
      )}
    </Group>
  )
}

/** The window with a folder open. */
function Parts() {
  const { sideBar, chat } = useLayout()
  const key = useWorkspace()?.root
  const start = initialSizes(innerWidth)
  const side = useStoredPanelSize('side', start.side)
  const talk = useStoredPanelSize('chat', start.chat)
  return (
    <div className="workbench-body">
      <ActivityBar />
      <Group
        key={key}
        orientation="horizontal"
        className="workbench-main"
        onLayoutChanged={(_shares, change) => {
          side.saveSize(change)
          talk.saveSize(change)
        }}
      >
        {sideBar.visible && (
          <Panel {...side.panel} minSize={160} maxSize="45%">
            <aside
              className="workbench-part workbench-side"
              data-region="side-bar"
              aria-label={sideBar.view === 'explorer' ? 'Explorer' : 'Search'}
            >
              <ErrorBoundary key={sideBar.view} name="The side bar">
                {sideBar.view === 'explorer' ? <ExplorerView /> : <SearchPanel />}
              </ErrorBoundary>
            </aside>
          </Panel>
        )}
        {sideBar.visible && <Separator className="workbench-separator" aria-label="Resize side bar" />}
        <Panel id="centre" minSize={320}>
          <Centre />
        </Panel>
        {chat.visible && <Separator className="workbench-separator" aria-label="Resize chat panel" />}
        {chat.visible && (
          <Panel {...talk.panel} minSize={280} maxSize="60%">
            <aside className="workbench-part workbench-chat" data-region="chat" aria-label="Chat">
              <ErrorBoundary name="The chat">
                <ChatHost />
              </ErrorBoundary>
            </aside>
          </Panel>
        )}
      </Group>
    </div>
  )
}

/** Without a folder: the welcome page, or the settings in its place. */
function NoFolder() {
  const tab = useTabs(activeTab)
  const group = useTabs((state) => state.activeGroup)
  if (tab?.kind !== 'page') return <Welcome />
  return (
    <main className="workbench-lone-page" data-region="editor" aria-label="Settings">
      <div className="workbench-lone-bar">
        <Button variant="ghost" icon="arrow-left" onClick={() => attempt(() => closeTab(group, tab.id))}>
          Back
        </Button>
      </div>
      <PageHost page={tab.page} />
    </main>
  )
}

/** The window without a folder. Notices float over the whole window. */
function Alone() {
  return (
    <div className="workbench-alone">
      <NoFolder />
      <NoticeToasts />
    </div>
  )
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="workbench">
      <TitleBar />
      <ConnectionBar />
      {children}
      <StatusBar />
      <Notices />
      <QuickPick />
      <FolderPicker />
      <KeyboardHelp />
      <LogDialog />
      <TrustDialog />
      <RenameDialog />
      <ConfirmDialog />
    </div>
  )
}

export function Workbench() {
  const status = useBridgeStatus()
  const answered = useApp((store) => store.state !== null)
  const failure = useApp((store) => store.failure)
  const workspace = useWorkspace()
  const restored = useSession((session) => session.root === (workspace?.root ?? null))
  const ready = answered && restored
  const welcomed = useRef(false)
  useEffect(() => {
    if (ready && !welcomed.current) {
      welcomed.current = true
      focusRegionNamed(workspace ? 'side-bar' : 'welcome')
    }
  }, [ready, workspace])
  // A window that was connected stays visible, because its unsaved text may exist nowhere else.
  if (status.kind === 'detached' || (status.kind === 'refused' && !ready))
    return <ConnectionPage kind={status.kind} reason={status.reason} />
  if (!ready) {
    return (
      <div className="connection-page">
        {failure ? <StartFailure failure={failure} /> : <Spinner label="Starting Tizona" />}
      </div>
    )
  }
  return <Frame>{workspace ? <Parts /> : <Alone />}</Frame>
}
