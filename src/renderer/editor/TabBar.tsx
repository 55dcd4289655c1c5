import { isWithoutFolder } from '../../shared/files/outsideFiles.ts'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { shortcutOf, runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { IconButton, Menu, type MenuAnchor, type MenuGroup } from '../ui/index.ts'
import { closeAll, closeOthers, closeRight, closeSaved, closeTab } from './closeTabs.ts'
import { splitAndFocus } from './openTab.ts'
import { TabButton, tabDragType } from './TabButton.tsx'
import { tabTitle, isOutsideFolder } from './tabTitle.ts'
import { isPinned, type Group, type Tab } from '../platform/editor/tabsState.ts'
import { focusGroup, moveTab, setPinned, tabElementId, keepTab, showTab } from '../platform/editor/tabsStore.ts'
import { gitMenuItems } from '../platform/git/gitMenuItems.ts'
import { copyPathItems } from '../platform/files/copyPath.ts'
import { revealItems } from '../platform/files/fileManager.ts'

/** A group's tabs. Arrow keys move between them, Enter focuses the editor, Delete closes the tab. */
export function TabBar({ group, active }: { group: Group; active: boolean }) {
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; tab: Tab } | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const overflows = useOverflow(list, group.tabs)

  return (
    <div
      className="editor-tabs"
      data-active={active}
      onPointerDown={() => focusGroup(group.id)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(tabDragType)) event.preventDefault()
      }}
      onDrop={(event) => {
        const [from, id] = event.dataTransfer.getData(tabDragType).split('\n')
        if (from && id) moveTab(Number(from), id, group.id)
      }}
    >
      <div className="editor-tab-list" ref={list}>
        {/* ARIA allows only tabs in a tab list, but close buttons are siblings of tabs, so it owns the tabs by id. */}
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
        {overflows && (
          <IconButton
            icon="chevron-down"
            label="Show all tabs"
            shortcut={shortcutOf('tab.showAll')}
            onClick={() => {
              focusGroup(group.id)
              void runCommand('tab.showAll')
            }}
          />
        )}
        <IconButton
          icon="split-horizontal"
          label="Split editor right"
          shortcut={shortcutOf('editor.split')}
          onClick={() => {
            focusGroup(group.id)
            attempt(() => splitAndFocus('right'))
          }}
        />
      </div>
      {menu && (
        <Menu
          groups={tabMenuGroups(group, menu.tab)}
          anchor={menu.anchor}
          label={`Actions for ${tabTitle(menu.tab)}`}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}

/**
 * Whether the tabs of a list are wider than the list. Keeps the active tab in view while it changes its width.
 * @param content what may change the width of the tabs
 */
function useOverflow(element: RefObject<HTMLElement | null>, content: unknown): boolean {
  const [overflows, setOverflows] = useState(false)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new ResizeObserver(() => {
      setOverflows(current.scrollWidth > current.clientWidth)
      // At the start, tabs are drawn before their group has its width.
      current.querySelector('[data-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [element, content])
  return overflows
}

function tabMenuGroups(group: Group, tab: Tab): MenuGroup[] {
  const pinned = isPinned(group, tab.id)
  const path = tab.kind === 'page' || isOutsideFolder(tab) || isWithoutFolder(tab.path) ? null : tab.path
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
        {
          id: 'right',
          label: 'Close to the right',
          disabled: group.tabs.at(-1)?.id === tab.id,
          run: () => attempt(() => closeRight(group.id, tab.id)),
        },
        {
          id: 'saved',
          label: 'Close saved',
          shortcut: shortcutOf('tab.closeSaved'),
          run: () => attempt(() => closeSaved(group.id)),
        },
        { id: 'all', label: 'Close all', shortcut: shortcutOf('tab.closeAll'), run: () => attempt(closeAll) },
      ],
    },
    {
      items: [
        ...(group.preview === tab.id
          ? [{ id: 'keep', label: 'Keep open', shortcut: shortcutOf('tab.keep'), run: () => keepTab(tab.id) }]
          : []),
        {
          id: 'pin',
          label: pinned ? 'Unpin' : 'Pin',
          shortcut: shortcutOf('tab.pin'),
          run: () => setPinned(group.id, tab.id, !pinned),
        },
      ],
    },
    {
      items:
        path === null
          ? []
          : [
              {
                id: 'chat',
                label: 'Add to chat',
                icon: 'mention',
                run: () => void runCommand('chat.addFile', path),
              },
              ...revealItems(path),
              ...copyPathItems(path),
            ],
    },
    { items: path === null ? [] : gitMenuItems(path) },
    {
      items: [
        {
          id: 'split',
          label: 'Split right',
          icon: 'split-horizontal',
          shortcut: shortcutOf('editor.split'),
          run: () => {
            showTab(tab, group.id)
            attempt(() => splitAndFocus('right'))
          },
        },
        {
          id: 'splitDown',
          label: 'Split down',
          icon: 'split-vertical',
          shortcut: shortcutOf('editor.splitDown'),
          run: () => {
            showTab(tab, group.id)
            attempt(() => splitAndFocus('down'))
          },
        },
      ],
    },
  ]
}
