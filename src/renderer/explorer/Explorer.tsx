import { useMemo, useRef, useState, type DragEvent } from 'react'
import { dragPathType as dragType, draggedPaths } from '../platform/files/dragTypes.ts'
import type { FileEntry } from '../../shared/files/files.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { displayPlace, useWorkspace } from '../platform/appState.ts'
import { runCommand, shortcutOf } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Icon, IconButton, Menu, VirtualList, type MenuAnchor } from '../ui/index.ts'
import { cancelImport, importDrop, readDrop, useDropProgress } from './dropImport.ts'
import { openDroppedFolders, pathsOfDrop } from './droppedFolders.ts'
import { moveInto } from './transfers.ts'
import {
  defaultFolder,
  entryOf,
  isFolder,
  isTopFolder,
  parentOf,
  rootPath,
  treeRows,
  useTree,
  type TreeRow,
} from './fileTree.ts'
import { EntryRow } from './EntryRow.tsx'
import { explorerMenuGroups } from './explorerMenu.ts'
import { useTreeKeys } from './useTreeKeys.ts'
import './explorer.css'
import { NameField } from './NameField.tsx'

const rowHeight = 24

/** The file tree of the open folder, with a context menu and drag and drop. */
export function Explorer() {
  const { folders, expanded, selected, marked, edit } = useTree()
  const rows = useMemo(() => treeRows({ folders, expanded, edit }), [folders, expanded, edit])
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; entry: FileEntry | undefined } | null>(null)
  /** Folder into which a dragged entry would move. */
  const [drop, setDrop] = useState<string | null>(null)
  const activeIndex = rows.findIndex((row) =>
    row.kind === 'entry' ? row.entry.path === selected && !edit : row.kind === 'edit',
  )
  const root = folders[rootPath]
  const list = useRef<HTMLDivElement>(null)

  const onKeyDown = useTreeKeys({
    rows,
    activeIndex,
    onMenu: (entry) => {
      const element = document.getElementById(`tree-${selected}`) ?? list.current
      if (element) setMenu({ anchor: { element }, entry })
    },
  })

  const dropHandlers = {
    onDragOver(event: DragEvent) {
      const isOutside = event.dataTransfer.types.includes('Files')
      if (!isOutside && !event.dataTransfer.types.includes(dragType)) return
      event.preventDefault()
      if (isOutside) event.dataTransfer.dropEffect = 'copy'
      setDrop(dropFolder(event))
    },
    onDragLeave: () => setDrop(null),
    onDrop(event: DragEvent) {
      const folder = dropFolder(event)
      setDrop(null)
      if (!event.dataTransfer.types.includes('Files')) {
        const paths = draggedPaths(event.dataTransfer)
        return attempt(() => moveInto(paths, folder), 'Some items could not be moved')
      }
      event.preventDefault()
      const reading = readDrop(event.dataTransfer)
      const paths = isTop(folder) ? pathsOfDrop(event.dataTransfer) : []
      attempt(async () => {
        if (!(await openDroppedFolders(paths))) await importDrop(reading, folder)
      }, 'The dropped items could not be copied')
    },
  }

  return (
    <div className="explorer" data-drop={drop === rootPath}>
      <ExplorerHeader />
      <CopyProgress />
      {root?.status === 'ready' && root.entries.length === 0 && !edit ? (
        <div className="explorer-empty" {...dropHandlers}>
          <EmptyFolder />
        </div>
      ) : (
        <VirtualList
          ref={list}
          className="explorer-tree"
          role="tree"
          aria-multiselectable
          aria-label="Files"
          tabIndex={0}
          data-autofocus
          aria-activedescendant={selected === null || edit ? undefined : `tree-${selected}`}
          items={rows}
          rowHeight={rowHeight}
          levelOf={({ depth }) => depth}
          activeIndex={activeIndex}
          keyOf={(row) =>
            row.kind === 'entry' ? row.entry.path : row.kind === 'note' ? `note:${row.path}` : `edit:${row.edit.kind}`
          }
          onKeyDown={onKeyDown}
          onContextMenu={(event) => {
            event.preventDefault()
            setMenu({ anchor: { x: event.clientX, y: event.clientY }, entry: undefined })
          }}
          {...dropHandlers}
          renderRow={(row) => (
            <Row
              row={row}
              selected={selected}
              marked={marked}
              dropFolder={drop}
              onEditDone={() => list.current?.focus()}
              onMenu={(anchor, entry) => setMenu({ anchor, entry })}
            />
          )}
        />
      )}
      <MissingFolders />
      {menu && (
        <Menu
          groups={explorerMenuGroups(menu.entry)}
          anchor={menu.anchor}
          label="File actions"
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}

/** Whether a folder is the open one or one of the workspace. */
const isTop = (folder: string): boolean => folder === rootPath || isTopFolder(folder)

/** Returns the folder under the pointer: the row's, or the parent of its file. */
function dropFolder(event: DragEvent): string {
  const path =
    event.target instanceof Element ? (event.target.closest<HTMLElement>('[data-path]')?.dataset.path ?? null) : null
  const entry = entryOf(path)
  if (!entry) return defaultFolder({ last: true })
  return isFolder(entry) ? entry.path : parentOf(entry.path)
}

function ExplorerHeader() {
  const workspace = useWorkspace()
  return (
    <header className="sidebar-header">
      <h2 className="sidebar-title" title={workspace ? displayPlace(workspace) : undefined}>
        {workspace?.name ?? 'Explorer'}
      </h2>
      <IconButton
        icon="new-file"
        label="New file"
        shortcut={shortcutOf('file.new')}
        onClick={() => runCommand('file.new')}
      />
      <IconButton icon="new-folder" label="New folder" onClick={() => runCommand('file.newFolder')} />
      <IconButton icon="refresh" label="Refresh explorer" onClick={() => runCommand('explorer.refresh')} />
      <IconButton icon="collapse-all" label="Collapse all folders" onClick={() => runCommand('explorer.collapseAll')} />
    </header>
  )
}

/** Folders of the workspace's file that cannot be shown, with the reasons. */
function MissingFolders() {
  const missing = useWorkspace()?.multiRoot?.missing ?? []
  if (missing.length === 0) return null
  return (
    <ul className="explorer-missing" aria-label="Folders that are not shown" tabIndex={0}>
      {missing.map((text) => (
        <li key={text}>
          <Icon name="warning" />
          {visibleText(text)}
        </li>
      ))}
    </ul>
  )
}

/** Progress of copying dropped files. */
function CopyProgress() {
  const progress = useDropProgress((state) => state.progress)
  if (!progress) return null
  return (
    <div className="explorer-copying" role="status">
      <progress aria-label="Copying" value={progress.done} max={Math.max(1, progress.total)} />
      {`Copied ${formatSize(progress.done)} of ${formatSize(progress.total)}`}
      <Button size="small" onClick={cancelImport}>
        Cancel
      </Button>
    </div>
  )
}

function EmptyFolder() {
  return (
    <EmptyState
      icon="files"
      title="This folder is empty"
      actions={
        <Button icon="new-file" onClick={() => runCommand('file.new')}>
          New file
        </Button>
      }
    >
      Create a file, or ask the model to create one.
    </EmptyState>
  )
}

interface RowProps {
  row: TreeRow
  selected: string | null
  marked: ReadonlySet<string>
  dropFolder: string | null
  onEditDone: () => void
  onMenu: (anchor: MenuAnchor, entry: FileEntry) => void
}

function Row({ row, selected, marked, dropFolder, onEditDone, onMenu }: RowProps) {
  if (row.kind === 'edit')
    return <NameField key={row.edit.kind} edit={row.edit} depth={row.depth} onDone={onEditDone} />
  if (row.kind === 'note')
    return (
      <div className="explorer-note" data-failed={row.failed} style={{ paddingLeft: 30 + row.depth * 14 }}>
        {row.text}
      </div>
    )
  const { path } = row.entry
  return (
    <EntryRow
      row={row}
      selected={marked.size > 0 ? marked.has(path) : path === selected}
      dropTarget={path === dropFolder}
      onMenu={onMenu}
    />
  )
}
