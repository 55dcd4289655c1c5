import { useState } from 'react'
import { shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { IconButton, Menu, type MenuAnchor } from '../ui/index.ts'
import { splitAndFocus } from './editorActions.ts'
import { TabButton, tabDragType } from './TabButton.tsx'
import { tabMenuGroups } from './tabMenu.ts'
import { tabTitle } from './tabTitle.ts'
import { focusGroup, moveTab, tabElementId, type Group, type Tab } from '../platform/editor/tabsStore.ts'

/** The tabs of a group. Arrow keys move between them, Enter focuses the editor, Delete closes the tab. */
export function TabBar({ group, active }: { group: Group; active: boolean }) {
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; tab: Tab } | null>(null)

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
      <div className="editor-tab-list">
        {/* ARIA allows only tabs in a tab list, but close buttons are siblings of tabs. So it owns the tabs by id. */}
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
          groups={tabMenuGroups(group, menu.tab)}
          anchor={menu.anchor}
          label={`${tabTitle(menu.tab)} actions`}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}
