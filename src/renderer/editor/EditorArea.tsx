import { isWithoutFolder } from '../../shared/files/outsideFiles.ts'
import { Group as PanelGroup, Panel, Separator } from 'react-resizable-panels'
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { shortcutOf, type CommandId } from '../platform/commands.ts'
import { saveSizes, useLayout } from '../platform/layout/layoutStore.ts'
import './editor.css'
import type { Group } from '../platform/editor/tabsState.ts'
import { useTabs, focusGroup, tabPanelId } from '../platform/editor/tabsStore.ts'
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
import { fileEditorOf, useShownAsText } from '../platform/editor/fileEditors.tsx'
import { FileViewHost } from '../platform/editor/fileViews.tsx'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { loadMonacoView } from './loadMonacoView.ts'
import { DropZones, followDrags } from './DropZones.tsx'
import { TabBar } from './TabBar.tsx'
import { documentName, tabTitle } from './tabTitle.ts'

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
 * The editor groups in their arrangement. A group stays where it is in the document and is placed over its slot in the
 * arrangement, so that a split moves no element: focus, scroll positions and widgets stay.
 */
export function EditorArea() {
  const { groups, layout, activeGroup } = useTabs()
  const [hosts] = useState(() => new Map<number, HTMLDivElement>())
  useEffect(followDrags, [])
  if (groups.every(({ tabs }) => tabs.length === 0)) return <NothingOpen />
  return (
    <div className="editor-area editor-stage">
      {groups.map((group) => (
        <div
          key={group.id}
          className="editor-group-host"
          ref={(element) => {
            if (element) hosts.set(group.id, element)
            else hosts.delete(group.id)
          }}
        >
          <EditorGroup group={group} active={group.id === activeGroup} />
        </div>
      ))}
      <Arrangement layout={layout} hosts={hosts} name="editors" />
    </div>
  )
}

interface ArrangementProps {
  layout: GroupLayout
  /** Elements of the groups. */
  hosts: ReadonlyMap<number, HTMLElement>
  /** Name of its sizes in the stored layout. */
  name: string
}

/** A slot for a group, or a row or column of arrangements. */
function Arrangement({ layout, hosts, name }: ArrangementProps) {
  if (typeof layout === 'number') return <Slot group={layout} hosts={hosts} />
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
              aria-label={isRow ? 'Resize width of editor groups' : 'Resize height of editor groups'}
            />
          )}
          <Panel id={`editor-${index}`} minSize={isRow ? 200 : 100}>
            <Arrangement layout={child} hosts={hosts} name={`${name}-${index}`} />
          </Panel>
        </Fragment>
      ))}
    </PanelGroup>
  )
}

/** The place of a group. Keeps the group's element above itself. */
function Slot({ group, hosts }: { group: number; hosts: ReadonlyMap<number, HTMLElement> }) {
  const slot = useRef<HTMLDivElement>(null)
  // After each render, because a slot of the same size can have moved.
  useLayoutEffect(() => {
    const place = (): void => {
      const host = hosts.get(group)
      const stage = host?.parentElement
      if (!slot.current || !host || !stage) return
      const [own, all] = [slot.current.getBoundingClientRect(), stage.getBoundingClientRect()]
      Object.assign(host.style, {
        left: `${own.left - all.left}px`,
        top: `${own.top - all.top}px`,
        width: `${own.width}px`,
        height: `${own.height}px`,
      })
    }
    place()
    const observer = new ResizeObserver(place)
    if (slot.current) observer.observe(slot.current)
    return () => observer.disconnect()
  })
  return <div ref={slot} className="editor-area" />
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
  const shownAsText = useShownAsText((all) => path !== null && all[path] !== undefined)
  const hasFiles = group.tabs.some(({ kind }) => kind === 'file')
  if (!settings) return null
  const ready = document?.status === 'ready'
  const fileEditor = ready && !shownAsText ? fileEditorOf(document.path) : undefined
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
        {ready && settings.breadcrumbs && !isWithoutFolder(document.path) && (
          <Breadcrumbs groupId={group.id} path={document.path} active={active} />
        )}
        {ready && <DocumentBars document={document} />}
        {document?.status === 'failed' && <FailurePage key={document.path} document={document} />}
        {document?.status === 'loading' && <LateSpinner />}
        {hasFiles && (
          <MonacoView
            groupId={group.id}
            path={ready && !fileEditor ? path : null}
            active={active}
            readonly={document?.readonly ?? false}
            large={document?.large ?? false}
            onFocus={() => focusGroup(group.id)}
          />
        )}
        {fileEditor && path !== null && (
          <ErrorBoundary key={path} name={documentName(path)}>
            <fileEditor.View groupId={group.id} path={path} active={active} onFocus={() => focusGroup(group.id)} />
          </ErrorBoundary>
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
        <DropZones groupId={group.id} />
      </div>
    </section>
  )
}
