import { Group as PanelGroup, Panel, Separator } from 'react-resizable-panels'
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { isUntitled } from '../../shared/files/untitled.ts'
import { shortcutOf, type CommandId } from '../platform/commands.ts'
import { saveSizes, useLayout } from '../platform/layout/layoutStore.ts'
import './editor.css'
import { useTabs, focusGroup, tabPanelId, type Group } from '../platform/editor/tabsStore.ts'
import { groupsIn, type GroupLayout } from '../platform/editor/groupLayout.ts'
import { useShallow } from 'zustand/react/shallow'
import { useStore } from 'zustand'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { PageHost } from '../platform/layout/pages.tsx'
import { Spinner } from '../ui/index.ts'
import { Breadcrumbs } from './Breadcrumbs.tsx'
import { DocumentBars, FailurePage } from './DocumentBars.tsx'
import { DiffViewHost } from '../platform/editor/diffContributions.tsx'
import { FileViewHost } from '../platform/editor/fileViews.tsx'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { loadMonacoView } from './loadMonacoView.ts'
import { TabBar } from './TabBar.tsx'
import { tabTitle } from './tabTitle.ts'

const hints: [string, CommandId][] = [
  ['Go to file', 'palette.files'],
  ['Search in files', 'view.search'],
  ['Ask the model', 'chat.focus'],
  ['All commands', 'palette.show'],
]

/** Page with shortcuts, shown if no tab is open. */
function NothingOpen() {
  return (
    <div className="editor-nothing" data-testid="no-editor">
      <img src="./mark.svg" alt="" className="editor-nothing-mark" />
      <dl className="editor-hints">
        {hints.map(([label, id]) => (
          <Fragment key={id}>
            <dt>{label}</dt>
            <dd>
              <kbd className="editor-hint-keys">{shortcutOf(id)}</kbd>
            </dd>
          </Fragment>
        ))}
      </dl>
    </div>
  )
}

/**
 * The editor groups in their arrangement. Each group stays in an element of its own, which moves with the arrangement,
 * so that its code editor keeps scroll position, widgets and selections.
 */
export function EditorArea() {
  const { groups, layout, activeGroup } = useTabs()
  const [hosts] = useState(() => new Map<number, HTMLElement>())
  const hostOf = (id: number): HTMLElement => {
    const host = hosts.get(id) ?? Object.assign(document.createElement('div'), { className: 'editor-group-host' })
    hosts.set(id, host)
    return host
  }
  useEffect(() => {
    for (const id of hosts.keys()) if (!groups.some((group) => group.id === id)) hosts.delete(id)
  }, [groups, hosts])
  if (groups.every(({ tabs }) => tabs.length === 0)) return <NothingOpen />
  return (
    <>
      <Arrangement layout={layout} hostOf={hostOf} name="editors" />
      {groups.map((group) =>
        createPortal(<EditorGroup group={group} active={group.id === activeGroup} />, hostOf(group.id), `${group.id}`),
      )}
    </>
  )
}

/** A group, or a row or column of arrangements. @param name of its sizes in the stored layout */
function Arrangement({ layout, hostOf, name }: ArrangementProps) {
  if (typeof layout === 'number') return <Hosted host={hostOf(layout)} />
  const isRow = layout.orientation === 'horizontal'
  return (
    <PanelGroup
      // The sizes of another number of panels do not fit.
      key={`${layout.orientation} ${layout.children.length}`}
      orientation={layout.orientation}
      className="editor-area"
      defaultLayout={useLayout.getState().sizes[name]}
      onLayoutChanged={(sizes) => saveSizes(name, sizes)}
    >
      {layout.children.map((child, index) => (
        <Fragment key={groupsIn(child)[0]}>
          {index > 0 && (
            <Separator
              className="workbench-separator"
              aria-label={`Resize editor groups (${isRow ? 'width' : 'height'})`}
            />
          )}
          <Panel id={`editor-${index}`} minSize={isRow ? 200 : 100}>
            <Arrangement layout={child} hostOf={hostOf} name={`${name}-${index}`} />
          </Panel>
        </Fragment>
      ))}
    </PanelGroup>
  )
}

interface ArrangementProps {
  layout: GroupLayout
  hostOf: (group: number) => HTMLElement
  name: string
}

/** Shows an element that React does not own. */
function Hosted({ host }: { host: HTMLElement }) {
  const parent = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    parent.current?.replaceChildren(host)
  }, [host])
  return <div ref={parent} className="editor-group-host" />
}

/** A spinner that appears after 150 ms, so that it does not flicker while something loads quickly. */
function LateSpinner() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return <div className="editor-loading">{late && <Spinner label="Opening" />}</div>
}

const MonacoView = lazyView(loadMonacoView, <LateSpinner />)
const FullDiff = lazyView(async () => (await import('./FullDiff.tsx')).FullDiff, <LateSpinner />)

/**
 * The tabs of a group and the content of the active one. The code editor stays mounted while a page or diff covers it.
 */
function EditorGroup({ group, active }: { group: Group; active: boolean }) {
  const settings = useEditorSettings()
  const tab = group.tabs.find(({ id }) => id === group.active) ?? null
  const path = tab?.kind === 'file' ? tab.path : null
  const document = useStore(
    documents.store,
    useShallow((all) => (path === null ? undefined : all[path])),
  )
  const hasFiles = group.tabs.some(({ kind }) => kind === 'file')
  if (!settings) return null
  const ready = document?.status === 'ready'
  // A file's editor takes the focus itself.
  const takesFocus = tab !== null && (tab.kind !== 'file' || document?.status === 'failed')
  return (
    <section
      className="editor-group"
      data-group-id={group.id}
      data-active={active}
      onFocusCapture={() => focusGroup(group.id)}
      data-testid={`editor-group-${group.id}`}
    >
      {group.tabs.length > 0 && <TabBar group={group} active={active} />}
      <div
        className="editor-content"
        role="tabpanel"
        id={tabPanelId(group.id)}
        tabIndex={takesFocus ? -1 : undefined}
        data-autofocus={(active && takesFocus) || undefined}
        aria-label={tab ? tabTitle(tab) : 'Editor'}
      >
        {ready && settings.breadcrumbs && !isUntitled(document.path) && (
          <Breadcrumbs groupId={group.id} path={document.path} active={active} />
        )}
        {ready && <DocumentBars document={document} />}
        {document?.status === 'failed' && <FailurePage key={document.path} document={document} />}
        {document?.status === 'loading' && <LateSpinner />}
        {hasFiles && (
          <MonacoView
            groupId={group.id}
            path={ready ? path : null}
            active={active}
            readonly={document?.readonly ?? false}
            large={document?.large ?? false}
            settings={settings}
            onFocus={() => focusGroup(group.id)}
          />
        )}
        {tab?.kind === 'diff' && (
          <DiffViewHost key={tab.id} tab={tab} fallback={<FullDiff tab={tab} settings={settings} />} />
        )}
        {tab?.kind === 'preview' && (
          <ErrorBoundary key={tab.id} name={tabTitle(tab)}>
            <FileViewHost name={tab.view} path={tab.path} />
          </ErrorBoundary>
        )}
        {tab?.kind === 'page' && (
          <ErrorBoundary key={tab.id} name={tabTitle(tab)}>
            <PageHost page={tab.page} />
          </ErrorBoundary>
        )}
      </div>
    </section>
  )
}
