import { visibleText } from '../../shared/text/visibleText.ts'
import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent, type MouseEvent } from 'react'
import { dragTabPathType } from '../platform/files/dragTypes.ts'
import { shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Icon, type MenuAnchor } from '../ui/index.ts'
import { closeUnpinned } from './closeTabs.ts'
import { showAndFocus } from './openTab.ts'
import { distinguishingFolder, isOutsideFolder, shownPath, tabTitle } from './tabTitle.ts'
import { FileIcon } from '../ui/FileIcon.tsx'
import { useUnsavedPages, type PageName } from '../platform/layout/pages.tsx'
import type { FileViewName } from '../platform/editor/fileViews.tsx'
import { useDocument } from '../platform/editor/documents/windowDocuments.ts'
import { isPinned, type Group, type Tab } from '../platform/editor/tabsState.ts'
import {
  documentPath,
  keepTab,
  moveTab,
  setPinned,
  showTab,
  tabElementId,
  tabPanelId,
} from '../platform/editor/tabsStore.ts'

/** Data type of a dragged tab: group id and tab id, separated by a line break. */
export const tabDragType = 'application/x-tizona-tab'

const pageIcons: Record<PageName, string> = {
  settings: 'settings-gear',
  console: 'tools',
  extensions: 'extensions',
  firstSteps: 'checklist',
  gitLog: 'git-commit',
  modelCheck: 'beaker',
  keymap: 'keyboard',
  plugins: 'plug',
  preview: 'browser',
  settingsJson: 'json',
}

const viewIcons: Partial<Record<FileViewName, string>> = { library: 'lock', userFile: 'json' }

function TabIcon({ tab }: { tab: Tab }) {
  if (tab.kind === 'page') return <Icon name={pageIcons[tab.page]} />
  if (tab.kind === 'diff') return <Icon name={tab.source?.feature === 'gitConflict' ? 'git-merge' : 'diff'} />
  if (tab.kind === 'preview') return <Icon name={viewIcons[tab.view] ?? 'open-preview'} />
  return <FileIcon path={tab.path} />
}

interface TabButtonProps {
  group: Group
  tab: Tab
  onMenu: (anchor: MenuAnchor, tab: Tab) => void
}

/** A tab: click activates it, middle click closes it, dragging moves it. */
export function TabButton({ group, tab, onMenu }: TabButtonProps) {
  const document = useDocument(documentPath(tab) ?? '')
  const [dropping, setDropping] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  const selected = group.active === tab.id
  const title = tabTitle(tab)
  const folder = distinguishingFolder(tab, group.tabs)
  const unsaved = useUnsavedPages((ids) => ids[tab.id] ?? false)
  const dirty = document?.dirty ?? unsaved
  const deleted = document?.disk === 'deleted'
  const preview = group.preview === tab.id
  const pinned = isPinned(group, tab.id)

  useEffect(() => {
    if (selected) ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])

  function onDrop(event: DragEvent): void {
    setDropping(false)
    const [from, id] = event.dataTransfer.getData(tabDragType).split('\n')
    if (from && id) {
      event.preventDefault()
      event.stopPropagation()
      moveTab(Number(from), id, group.id, tab.id)
    }
  }

  const state = [
    dirty ? 'unsaved' : '',
    deleted ? 'deleted on disk' : '',
    preview ? 'preview' : '',
    pinned ? 'pinned' : '',
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <div
      ref={ref}
      className={`editor-tab ${dropping ? 'editor-tab-drop' : ''}`}
      data-selected={selected}
      data-dirty={dirty}
      data-deleted={deleted}
      data-preview={preview}
      data-pinned={pinned}
      draggable
      onAuxClick={(event) => {
        if (event.button === 1) attempt(() => closeUnpinned(group.id, tab.id))
      }}
      onContextMenu={(event: MouseEvent) => {
        event.preventDefault()
        onMenu({ x: event.clientX, y: event.clientY }, tab)
      }}
      onDragStart={(event) => {
        event.dataTransfer.setData(tabDragType, `${group.id}\n${tab.id}`)
        // The composer mentions a file that is dropped on it.
        if (tab.kind === 'file') event.dataTransfer.setData(dragTabPathType, tab.path)
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(tabDragType)) return
        event.preventDefault()
        setDropping(true)
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={onDrop}
    >
      <div
        role="tab"
        id={tabElementId(group.id, tab.id)}
        aria-selected={selected}
        aria-label={[title, folder, state && `(${state})`].filter(Boolean).join(' ')}
        aria-controls={tabPanelId(group.id)}
        title={
          tab.kind === 'page' || isOutsideFolder(tab) ? title : `${shownPath(tab.path)}${state ? ` · ${state}` : ''}`
        }
        tabIndex={selected ? 0 : -1}
        className="editor-tab-label"
        onClick={(event) => {
          // Arrow keys cause clicks with detail 0. They keep the focus in the tab list, but a pointer focuses the text.
          if (event.detail > 0) attempt(() => showAndFocus(tab, group.id))
          else showTab(tab, group.id)
        }}
        onDoubleClick={() => keepTab(tab.id)}
        onKeyDown={(event) => onTabKey(event, group, tab, onMenu)}
      >
        <TabIcon tab={tab} />
        <span className="editor-tab-title" dir="ltr">
          {visibleText(title)}
        </span>
        {folder && <span className="editor-tab-folder">{folder}</span>}
      </div>
      <CloseButton
        title={title}
        dirty={dirty}
        pinned={pinned}
        close={() => attempt(() => closeUnpinned(group.id, tab.id))}
        unpin={() => setPinned(group.id, tab.id, false)}
      />
    </div>
  )
}

interface CloseButtonProps {
  title: string
  dirty: boolean
  pinned: boolean
  close: () => void
  unpin: () => void
}

/** Closes a tab, or unpins a pinned one. */
function CloseButton({ title, dirty, pinned, close, unpin }: CloseButtonProps) {
  const shortcut = shortcutOf(pinned ? 'tab.pin' : 'tab.close')
  const verb = pinned ? 'Unpin' : 'Close'
  return (
    <button
      type="button"
      className="editor-tab-close"
      tabIndex={-1}
      aria-label={`${verb} ${title}`}
      title={shortcut ? `${verb} (${shortcut})` : verb}
      onClick={pinned ? unpin : close}
    >
      <Icon name={pinned ? 'pinned' : 'close'} className={pinned ? 'editor-tab-pin' : 'editor-tab-cross'} />
      {dirty && <Icon name="circle-filled" className="editor-tab-dot" />}
    </button>
  )
}

function onTabKey(
  event: KeyboardEvent<HTMLDivElement>,
  group: Group,
  tab: Tab,
  onMenu: (anchor: MenuAnchor, tab: Tab) => void,
): void {
  // With a modifier, keys have other meanings, for example Ctrl+End.
  if (event.ctrlKey || event.altKey || event.metaKey) return
  const tabs = [...(event.currentTarget.closest('.editor-tab-list')?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])]
  const index = tabs.indexOf(event.currentTarget)
  const select = (to: number) => {
    const target = tabs[(to + tabs.length) % tabs.length]
    target?.focus()
    target?.click()
  }
  if (event.key === 'ArrowRight') select(index + 1)
  else if (event.key === 'ArrowLeft') select(index - 1)
  else if (event.key === 'Home') select(0)
  else if (event.key === 'End') select(-1)
  else if (event.key === 'Enter' || event.key === ' ') attempt(() => showAndFocus(tab, group.id))
  else if (event.key === 'Delete') attempt(() => closeUnpinned(group.id, tab.id))
  else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))
    onMenu({ element: event.currentTarget }, tab)
  else return
  event.preventDefault()
}
