import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent, type MouseEvent } from 'react'
import { shortcutOf } from '../platform/commands.ts'
import { revealItems } from '../platform/fileManager.ts'
import { attempt } from '../platform/notices.ts'
import { Icon, IconButton, Menu, type MenuAnchor, type MenuGroup } from '../ui/index.ts'
import { closeAll, closeOthers, closeTab, showAndFocus, splitAndFocus } from './editorActions.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { useDocument } from '../platform/editor/windowDocuments.ts'
import { focusGroup, moveTab, showTab, tabElementId, type Group, type Tab } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'

const dragType = 'application/x-tizona-tab'

export function tabTitle(tab: Tab): string {
  if (tab.kind === 'page') return tab.page === 'settings' ? 'Settings' : 'Tool console'
  return tab.kind === 'diff' ? tab.title : tab.path.slice(tab.path.lastIndexOf('/') + 1)
}

function tabIcon(tab: Tab): { icon: string; color?: string } {
  if (tab.kind === 'page') return { icon: tab.page === 'settings' ? 'settings-gear' : 'tools' }
  return tab.kind === 'diff' ? { icon: 'diff' } : fileIcon(tab.path)
}

/** The folder of a file, shown if tabs have the same file name. */
function folderOf(tab: Tab, tabs: readonly Tab[]): string | null {
  if (tab.kind !== 'file' || !tabs.some((other) => other !== tab && tabTitle(other) === tabTitle(tab))) return null
  const parts = tab.path.split('/')
  return parts.at(-2) ?? null
}

interface TabButtonProps {
  group: Group
  tab: Tab
  onMenu: (anchor: MenuAnchor, tab: Tab) => void
}

function TabButton({ group, tab, onMenu }: TabButtonProps) {
  const document = useDocument(tab.kind === 'file' ? tab.path : '')
  const [dropping, setDropping] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  const selected = group.active === tab.id
  const title = tabTitle(tab)
  const { icon, color } = tabIcon(tab)
  const folder = folderOf(tab, group.tabs)
  const dirty = document?.dirty ?? false
  const deleted = document?.disk === 'deleted'

  useEffect(() => {
    if (selected) ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const all = [
      ...(event.currentTarget.closest('.editor-tab-list')?.querySelectorAll<HTMLElement>('[role=tab]') ?? []),
    ]
    const index = all.indexOf(event.currentTarget)
    const go = (to: number) => {
      const target = all[(to + all.length) % all.length]
      target?.focus()
      target?.click()
    }
    // With a modifier the keys have other meanings, for example Ctrl+End.
    if (event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key === 'ArrowRight') go(index + 1)
    else if (event.key === 'ArrowLeft') go(index - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(-1)
    else if (event.key === 'Enter' || event.key === ' ') viewOf(group.id)?.focus()
    else if (event.key === 'Delete') attempt(() => closeTab(group.id, tab.id))
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))
      onMenu({ element: event.currentTarget }, tab)
    else return
    event.preventDefault()
  }

  function onDrop(event: DragEvent): void {
    setDropping(false)
    const [from, id] = event.dataTransfer.getData(dragType).split('\n')
    if (from && id) {
      event.preventDefault()
      event.stopPropagation()
      moveTab(Number(from), id, group.id, tab.id)
    }
  }

  const state = [dirty ? 'unsaved' : '', deleted ? 'deleted on disk' : ''].filter(Boolean).join(', ')
  return (
    <div
      className={`editor-tab ${dropping ? 'editor-tab-drop' : ''}`}
      data-selected={selected}
      data-dirty={dirty}
      data-deleted={deleted}
      draggable
      onAuxClick={(event) => {
        if (event.button === 1) attempt(() => closeTab(group.id, tab.id))
      }}
      onContextMenu={(event: MouseEvent) => {
        event.preventDefault()
        onMenu({ x: event.clientX, y: event.clientY }, tab)
      }}
      onDragStart={(event) => event.dataTransfer.setData(dragType, `${group.id}\n${tab.id}`)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(dragType)) return
        event.preventDefault()
        setDropping(true)
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={onDrop}
    >
      <div
        ref={ref}
        role="tab"
        id={tabElementId(group.id, tab.id)}
        aria-selected={selected}
        aria-label={[title, folder, state && `(${state})`].filter(Boolean).join(' ')}
        aria-controls={`tabpanel-${group.id}`}
        title={tab.kind === 'page' ? title : `${tab.path}${state ? ` · ${state}` : ''}`}
        tabIndex={selected ? 0 : -1}
        className="editor-tab-label"
        onClick={(event) => {
          // A pointer's click goes on into the text; one made by the arrow keys (detail 0) stays among the tabs.
          if (event.detail > 0) attempt(() => showAndFocus(tab, group.id))
          else showTab(tab, group.id)
        }}
        onKeyDown={onKeyDown}
      >
        <Icon name={icon} color={color} />
        <span className="editor-tab-title">{title}</span>
        {folder && <span className="editor-tab-folder">{folder}</span>}
      </div>
      <button
        type="button"
        className="editor-tab-close"
        tabIndex={-1}
        aria-label={`Close ${title}`}
        title={shortcutOf('tab.close') ? `Close (${shortcutOf('tab.close')})` : 'Close'}
        onClick={() => attempt(() => closeTab(group.id, tab.id))}
      >
        <Icon name="close" className="editor-tab-cross" />
        {dirty && <Icon name="circle-filled" className="editor-tab-dot" />}
      </button>
    </div>
  )
}

/** The tabs of a group: arrows move between them, Enter goes into the editor, Delete closes. */
export function TabBar({ group, active }: { group: Group; active: boolean }) {
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; tab: Tab } | null>(null)

  function menuGroups(tab: Tab): MenuGroup[] {
    const path = tab.kind === 'page' ? null : tab.path
    return [
      {
        items: [
          {
            id: 'close',
            label: 'Close',
            shortcut: shortcutOf('tab.close'),
            run: () => attempt(() => closeTab(group.id, tab.id)),
          },
          {
            id: 'others',
            label: 'Close others',
            disabled: group.tabs.length < 2,
            run: () => attempt(() => closeOthers(group.id, tab.id)),
          },
          { id: 'all', label: 'Close all', run: () => attempt(closeAll) },
        ],
      },
      {
        items:
          path === null
            ? []
            : [
                ...revealItems(path),
                {
                  id: 'copy',
                  label: 'Copy path',
                  icon: 'copy',
                  run: () => attempt(() => navigator.clipboard.writeText(path), 'The path was not copied'),
                },
              ],
      },
      {
        items: [
          {
            id: 'split',
            label: 'Split right',
            icon: 'split-horizontal',
            shortcut: shortcutOf('editor.split'),
            run: () => {
              showTab(tab, group.id)
              attempt(splitAndFocus)
            },
          },
        ],
      },
    ]
  }

  return (
    <div
      className="editor-tabs"
      data-active={active}
      onPointerDown={() => focusGroup(group.id)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(dragType)) event.preventDefault()
      }}
      onDrop={(event) => {
        const [from, id] = event.dataTransfer.getData(dragType).split('\n')
        if (from && id) moveTab(Number(from), id, group.id)
      }}
    >
      <div className="editor-tab-list">
        {/* Owns the tabs without containing them: a tab list may hold nothing but tabs, and each has its close button beside it. */}
        <div
          role="tablist"
          aria-label="Open editors"
          aria-owns={group.tabs.map((tab) => tabElementId(group.id, tab.id)).join(' ')}
        />
        {group.tabs.map((tab) => (
          <TabButton
            key={tab.id}
            group={group}
            tab={tab}
            onMenu={(anchor, target) => setMenu({ anchor, tab: target })}
          />
        ))}
      </div>
      <div className="editor-tab-actions">
        <IconButton
          icon="split-horizontal"
          label="Split editor right"
          shortcut={shortcutOf('editor.split')}
          onClick={() => {
            focusGroup(group.id)
            attempt(splitAndFocus)
          }}
        />
      </div>
      {menu && (
        <Menu
          groups={menuGroups(menu.tab)}
          anchor={menu.anchor}
          label={`${tabTitle(menu.tab)} actions`}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}
