import { useMemo, useRef, useState, type DragEvent, type KeyboardEvent } from 'react'
import { dragPathType as dragType } from '../../shared/dragTypes.ts'
import type { FileEntry } from '../../shared/files.ts'
import { trashName } from '../../shared/platformLabels.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { currentPlatform, currentWorkspace, hostFeatures } from '../platform/appState.ts'
import { runCommand, shortcutOf } from '../platform/commands.ts'
import { revealItems } from '../platform/fileManager.ts'
import { isMac } from '../platform/keyNotation.ts'
import { attempt, notify } from '../platform/notices.ts'
import {
  Button,
  EmptyState,
  Icon,
  IconButton,
  Menu,
  VirtualList,
  type MenuAnchor,
  type MenuGroup,
  type MenuItem,
} from '../ui/index.ts'
import {
  openOrToggle,
  cancelEdit,
  duplicate,
  entryOf,
  moveInto,
  startCreate,
  startRename,
  tree,
  undoLastMove,
} from './explorerActions.ts'
import { deleteEntry } from './deleteEntry.ts'
import './explorer.css'
import { NameField } from './NameField.tsx'
import { isFolder, parentOf, rootPath, treeRows, useTree, type TreeRow } from './fileTree.ts'

const rowHeight = 24

function copyPath(path: string): void {
  attempt(async () => {
    await navigator.clipboard.writeText(path)
    notify('success', `Copied ${path}`)
  }, 'The path was not copied')
}

/** The delete items: two if the host has a trash. */
function deleteItems(entry: FileEntry): MenuItem[] {
  const remove = (permanently: boolean) =>
    attempt(() => deleteEntry(entry, { permanently }), `${entry.name} was not deleted`)
  const common = { icon: 'trash', danger: true }
  if (!hostFeatures().trash)
    return [{ ...common, id: 'delete', label: 'Delete', shortcut: 'Del', run: () => remove(true) }]
  return [
    {
      id: 'trash',
      icon: 'trash',
      label: `Move to ${trashName(currentPlatform())}`,
      shortcut: 'Del',
      run: () => remove(false),
    },
    { ...common, id: 'delete', label: 'Delete permanently', shortcut: 'Shift+Del', run: () => remove(true) },
  ]
}

function menuGroups(entry: FileEntry | undefined): MenuGroup[] {
  const near = entry?.path ?? null
  const create: MenuGroup = {
    items: [
      { id: 'new-file', label: 'New file…', icon: 'new-file', run: () => attempt(() => startCreate(false, near)) },
      { id: 'new-folder', label: 'New folder…', icon: 'new-folder', run: () => attempt(() => startCreate(true, near)) },
    ],
  }
  if (!entry) {
    const refresh: MenuItem = {
      id: 'refresh',
      label: 'Refresh',
      icon: 'refresh',
      run: () => runCommand('explorer.refresh'),
    }
    return [create, { items: [...revealItems('.'), refresh] }]
  }
  const root = currentWorkspace()?.root ?? ''
  return [
    create,
    {
      items: [
        { id: 'rename', label: 'Rename…', icon: 'edit', shortcut: 'F2', run: () => startRename(entry) },
        {
          id: 'duplicate',
          label: 'Duplicate',
          icon: 'copy',
          disabled: isFolder(entry),
          run: () => attempt(() => duplicate(entry), `${entry.name} was not duplicated`),
        },
        ...deleteItems(entry),
      ],
    },
    {
      items: [
        ...revealItems(entry.path),
        { id: 'copy-path', label: 'Copy path', run: () => copyPath(`${root}/${entry.path}`) },
        { id: 'copy-relative', label: 'Copy relative path', run: () => copyPath(entry.path) },
      ],
    },
  ]
}

interface RowProps {
  row: Extract<TreeRow, { kind: 'entry' }>
  selected: boolean
  dropTarget: boolean
  onMenu: (anchor: MenuAnchor, entry: FileEntry) => void
}

function EntryRow({ row: { entry, depth, expanded }, selected, dropTarget, onMenu }: RowProps) {
  const folder = isFolder(entry)
  const { icon, color } = folder
    ? { icon: expanded ? 'folder-opened' : 'folder', color: 'var(--color-text-muted)' }
    : fileIcon(entry.path)
  return (
    <div
      id={`tree-${entry.path}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={folder ? expanded : undefined}
      aria-label={entry.name}
      title={entry.type === 'symlink' ? `${entry.path} (link)` : entry.path}
      className="explorer-row"
      data-path={entry.path}
      data-ignored={entry.ignored}
      data-drop={dropTarget}
      style={{ paddingLeft: 8 + depth * 14 }}
      draggable
      onDragStart={(event) => event.dataTransfer.setData(dragType, entry.path)}
      onClick={() => openOrToggle(entry, { focus: false })}
      onDoubleClick={() => {
        if (!folder) openOrToggle(entry, { focus: true })
      }}
      onContextMenu={(event) => {
        event.preventDefault()
        event.stopPropagation()
        tree.select(entry.path)
        onMenu({ x: event.clientX, y: event.clientY }, entry)
      }}
    >
      <Icon name={folder ? (expanded ? 'chevron-down' : 'chevron-right') : 'blank'} className="explorer-twistie" />
      <Icon name={icon} color={color} />
      <span className="explorer-name">{entry.name}</span>
      {entry.type === 'symlink' && <Icon name="link" className="explorer-link" label="link" />}
    </div>
  )
}

function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'z' && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !shiftKey && !altKey
}

/**
 * The file tree. Arrow keys navigate, Enter opens, F2 renames, Delete deletes (Shift+Delete permanently), Ctrl+Z undoes
 * a move, letters jump to a name.
 */
export function Explorer() {
  const { folders, expanded, selected, edit } = useTree()
  const rows = useMemo(() => treeRows({ folders, expanded, edit }), [folders, expanded, edit])
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; entry: FileEntry | undefined } | null>(null)
  const [drop, setDrop] = useState<string | null>(null)
  const typed = useRef({ text: '', at: 0 })
  const activeIndex = rows.findIndex((row) =>
    row.kind === 'entry' ? row.entry.path === selected && !edit : row.kind === 'edit',
  )
  const root = folders[rootPath]
  const list = useRef<HTMLDivElement>(null)

  function selectRow(index: number, step: 1 | -1): void {
    for (let at = index; at >= 0 && at < rows.length; at += step) {
      const row = rows[at]
      if (row?.kind === 'entry') return tree.select(row.entry.path)
    }
  }

  function typeAhead(key: string): void {
    const now = performance.now()
    typed.current = {
      text: now - typed.current.at < 800 ? typed.current.text + key.toLowerCase() : key.toLowerCase(),
      at: now,
    }
    const { text } = typed.current
    const start = Math.max(0, activeIndex + (text.length === 1 ? 1 : 0))
    const match = (row: TreeRow) => row.kind === 'entry' && row.entry.name.toLowerCase().startsWith(text)
    const behind = rows.slice(start).findIndex(match)
    const index = behind >= 0 ? start + behind : rows.findIndex(match)
    if (index >= 0) selectRow(index, 1)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement) return
    const row = rows[activeIndex]
    const entry = row?.kind === 'entry' ? row.entry : undefined
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.key === 'ArrowDown') selectRow(activeIndex + 1, 1)
    else if (event.key === 'ArrowUp') selectRow(activeIndex < 0 ? rows.length - 1 : activeIndex - 1, -1)
    else if (event.key === 'Home') selectRow(0, 1)
    else if (event.key === 'End') selectRow(rows.length - 1, -1)
    else if (event.key === 'PageDown') selectRow(Math.min(rows.length - 1, activeIndex + 15), -1)
    else if (event.key === 'PageUp') selectRow(Math.max(0, activeIndex - 15), 1)
    else if (event.key === 'ArrowRight' && entry && isFolder(entry)) {
      if (expanded.has(entry.path)) selectRow(activeIndex + 1, 1)
      else attempt(() => tree.expand(entry.path))
    } else if (event.key === 'ArrowLeft' && entry) {
      if (isFolder(entry) && expanded.has(entry.path)) tree.collapse(entry.path)
      else if (parentOf(entry.path) !== rootPath) tree.select(parentOf(entry.path))
    } else if ((event.key === 'Enter' || event.key === ' ') && entry)
      openOrToggle(entry, { focus: event.key === 'Enter' })
    else if (event.key === 'F2' && entry) startRename(entry)
    else if (event.key === 'Escape' && edit) cancelEdit()
    else if (event.key === 'Delete' && entry)
      attempt(() => deleteEntry(entry, { permanently: event.shiftKey }), `${entry.name} was not deleted`)
    else if (isUndo(event)) undoLastMove()
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      const element = document.getElementById(`tree-${selected}`) ?? list.current
      if (element) setMenu({ anchor: { element }, entry })
    } else if (plain && event.key.length === 1) typeAhead(event.key)
    else return
    event.preventDefault()
  }

  /** The folder under the pointer: the row's folder, or the parent of the row's file. */
  function dropFolder(event: DragEvent): string {
    const path =
      event.target instanceof Element ? (event.target.closest<HTMLElement>('[data-path]')?.dataset.path ?? null) : null
    const entry = entryOf(path)
    if (!entry) return rootPath
    return isFolder(entry) ? entry.path : parentOf(entry.path)
  }

  return (
    <div className="explorer">
      <header className="sidebar-header">
        <h2 className="sidebar-title" title={currentWorkspace()?.root}>
          {currentWorkspace()?.name ?? 'Explorer'}
        </h2>
        <IconButton
          icon="new-file"
          label="New file"
          shortcut={shortcutOf('file.new')}
          onClick={() => runCommand('file.new')}
        />
        <IconButton icon="new-folder" label="New folder" onClick={() => runCommand('file.newFolder')} />
        <IconButton icon="refresh" label="Refresh explorer" onClick={() => runCommand('explorer.refresh')} />
        <IconButton
          icon="collapse-all"
          label="Collapse all folders"
          onClick={() => runCommand('explorer.collapseAll')}
        />
      </header>
      {root?.status === 'ready' && root.entries.length === 0 && !edit ? (
        <EmptyState
          icon="files"
          title="This folder is empty"
          actions={
            <Button icon="new-file" onClick={() => runCommand('file.new')}>
              New file
            </Button>
          }
        >
          Create the first file, or ask the model to.
        </EmptyState>
      ) : (
        <VirtualList
          ref={list}
          className="explorer-tree"
          role="tree"
          aria-label="Files"
          tabIndex={0}
          data-autofocus
          aria-activedescendant={selected === null || edit ? undefined : `tree-${selected}`}
          items={rows}
          rowHeight={rowHeight}
          activeIndex={activeIndex}
          keyOf={(row) =>
            row.kind === 'entry' ? row.entry.path : row.kind === 'note' ? `note:${row.path}` : `edit:${row.edit.kind}`
          }
          onKeyDown={onKeyDown}
          onContextMenu={(event) => {
            event.preventDefault()
            setMenu({ anchor: { x: event.clientX, y: event.clientY }, entry: undefined })
          }}
          onDragOver={(event) => {
            if (!event.dataTransfer.types.includes(dragType)) return
            event.preventDefault()
            setDrop(dropFolder(event))
          }}
          onDragLeave={() => setDrop(null)}
          onDrop={(event) => {
            const path = event.dataTransfer.getData(dragType)
            setDrop(null)
            if (path) attempt(() => moveInto(path, dropFolder(event)), `${path} was not moved`)
          }}
          renderRow={(row) => {
            if (row.kind === 'edit')
              return (
                <NameField
                  key={`${row.edit.kind}`}
                  edit={row.edit}
                  depth={row.depth}
                  onDone={() => list.current?.focus()}
                />
              )
            if (row.kind === 'note') {
              return (
                <div className="explorer-note" data-failed={row.failed} style={{ paddingLeft: 30 + row.depth * 14 }}>
                  {row.text}
                </div>
              )
            }
            return (
              <EntryRow
                row={row}
                selected={row.entry.path === selected}
                dropTarget={drop === row.entry.path}
                onMenu={(anchor, entry) => setMenu({ anchor, entry })}
              />
            )
          }}
        />
      )}
      {menu && (
        <Menu groups={menuGroups(menu.entry)} anchor={menu.anchor} label="File actions" onClose={() => setMenu(null)} />
      )}
    </div>
  )
}
