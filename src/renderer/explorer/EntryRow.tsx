import { dragPathType as dragType } from '../../shared/dragTypes.ts'
import type { FileEntry } from '../../shared/files.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { Icon, type MenuAnchor } from '../ui/index.ts'
import { openOrToggle, tree } from './explorerActions.ts'
import { isFolder, type TreeRow } from './fileTree.ts'

interface RowProps {
  row: Extract<TreeRow, { kind: 'entry' }>
  selected: boolean
  dropTarget: boolean
  onMenu: (anchor: MenuAnchor, entry: FileEntry) => void
}

/** A file or folder in the tree. */
export function EntryRow({ row: { entry, depth, expanded }, selected, dropTarget, onMenu }: RowProps) {
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
