import { displayPlace, useWorkspace } from '../platform/appState.ts'
import {
  commands,
  isEnabled,
  runCommand,
  shortcutOf,
  titleOf,
  type CommandId,
  type CommandRow,
} from '../platform/commands.ts'
import { useIsPanelVisible, useLayout } from '../platform/layout/layoutStore.ts'
import { Icon, IconButton, Menu, type MenuAnchor, type MenuGroup } from '../ui/index.ts'
import { useState, type KeyboardEvent } from 'react'

const categories = ['File', 'Edit', 'View', 'Go', 'Run', 'Chat', 'Terminal', 'Help'] as const

/** Builds a menu from the commands of a category. Only the browser host has these menus. */
function menuGroups(category: CommandRow['category']): MenuGroup[] {
  const rows = commands.filter(
    (row) => row.category === category && row.menuGroup !== undefined && row.when !== 'desktop',
  )
  return [...Map.groupBy(rows, (row) => row.menuGroup).values()].map((group) => ({
    items: group.map((row) => {
      // The ids of all rows are CommandIds.
      const id = row.id as CommandId
      return {
        id,
        label: titleOf(row),
        shortcut: shortcutOf(id),
        disabled: !isEnabled(row),
        run: () => void runCommand(id),
      }
    }),
  }))
}

/** Menu bar of the browser host. Left and Right switch between open menus. Electron uses the native menu bar. */
function MenuBar() {
  const [open, setOpen] = useState<{ category: CommandRow['category']; anchor: MenuAnchor } | null>(null)

  function openMenu(category: CommandRow['category']): void {
    const element = document.getElementById(`menu-${category}`)
    if (element) setOpen({ category, anchor: { element } })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft' && event.key !== 'ArrowDown') return
    const focused = document.activeElement?.id.replace('menu-', '')
    const current = categories.find((category) => category === (open?.category ?? focused))
    if (!current) return
    event.preventDefault()
    if (event.key === 'ArrowDown') return openMenu(current)
    const step = event.key === 'ArrowRight' ? 1 : -1
    const next = categories[(categories.indexOf(current) + step + categories.length) % categories.length] ?? 'File'
    document.getElementById(`menu-${next}`)?.focus()
    if (open) openMenu(next)
  }

  return (
    <div
      className="menubar"
      role="menubar"
      aria-label="Menu"
      onKeyDown={onKeyDown}
      onKeyDownCapture={(event) =>
        open && (event.key === 'ArrowLeft' || event.key === 'ArrowRight') && onKeyDown(event)
      }
    >
      {categories.map((category, index) => (
        <button
          key={category}
          id={`menu-${category}`}
          type="button"
          role="menuitem"
          className="menubar-item"
          aria-haspopup="menu"
          aria-expanded={open?.category === category}
          tabIndex={index === 0 ? 0 : -1}
          onPointerDown={(event) => {
            if (open?.category === category) return
            event.preventDefault()
            openMenu(category)
          }}
          onClick={() => !open && openMenu(category)}
          onPointerEnter={() => open && open.category !== category && openMenu(category)}
        >
          {category}
        </button>
      ))}
      {open && (
        <Menu
          key={open.category}
          groups={menuGroups(open.category)}
          anchor={open.anchor}
          label={open.category}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}

/** Menu bar, folder name with quick open, and toggles for side bar, bottom panel and chat. */
export function TitleBar() {
  const workspace = useWorkspace()
  const panel = useLayout((layout) => layout.panel)
  const showsSideBar = useIsPanelVisible('sideBar')
  const showsChat = useIsPanelVisible('chat')
  return (
    <header className="titlebar" data-region="title-bar">
      <img src="./mark.svg" alt="Tizona" width={20} height={20} className="titlebar-mark" />
      {!window.tizona && <MenuBar />}
      {workspace ? (
        <button
          type="button"
          className="titlebar-search"
          onClick={() => runCommand('palette.files')}
          title={`Go to file (${shortcutOf('palette.files')})`}
        >
          <Icon name="search" />
          <span className="titlebar-name">{workspace.name}</span>
          <span className="titlebar-path">
            {workspace.tour ? 'Scripted tour in a temporary copy' : displayPlace(workspace)}
          </span>
          <kbd className="ui-kbd">{shortcutOf('palette.files')}</kbd>
        </button>
      ) : (
        <span className="titlebar-space" />
      )}
      <div className="titlebar-actions">
        {workspace && (
          <>
            <IconButton
              icon={showsSideBar ? 'layout-sidebar-left' : 'layout-sidebar-left-off'}
              label="Toggle side bar"
              shortcut={shortcutOf('view.toggleSideBar')}
              onClick={() => runCommand('view.toggleSideBar')}
            />
            <IconButton
              icon={panel.visible ? 'layout-panel' : 'layout-panel-off'}
              label="Toggle bottom panel"
              shortcut={shortcutOf('view.togglePanel')}
              onClick={() => runCommand('view.togglePanel')}
            />
            <IconButton
              icon={showsChat ? 'layout-sidebar-right' : 'layout-sidebar-right-off'}
              label="Toggle chat panel"
              shortcut={shortcutOf('view.toggleChat')}
              onClick={() => runCommand('view.toggleChat')}
            />
          </>
        )}
      </div>
    </header>
  )
}
