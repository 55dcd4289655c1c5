import { dragPathsType, dragPathType as dragType } from '../../shared/dragTypes.ts'
import type { FileEntry } from '../../shared/files.ts'
import { fileIcon } from '../ui/fileIcon.ts'
import { changeColor } from '../platform/git/decorations.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { isMac } from '../platform/keyNotation.ts'
import { Icon, type MenuAnchor } from '../ui/index.ts'
import { openOrToggle } from './explorerActions.ts'
import { useFileClipboard } from './fileClipboard.ts'
import { extendSelection, targetsOf, toggleMark } from './selection.ts'
import { tree } from './windowTree.ts'
import { isFolder, useTree, type TreeRow } from './fileTree.ts'

interface RowProps {
  row: Extract<TreeRow, { kind: 'entry' }>
  selected: boolean
  dropTarget: boolean
  onMenu: (anchor: MenuAnchor, entry: FileEntry) => void
}

/** A file or folder in the tree. */
export function EntryRow({ row: { entry, depth, expanded }, selected, dropTarget, onMenu }: RowProps) {
  const folder = isFolder(entry)
  const cut = useFileClipboard((clipboard) => clipboard.cut && clipboard.paths.includes(entry.path))
  const mark = useGit(({ decorations: { files, folders } }) => files.get(entry.path) ?? folders.get(entry.path))
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
      aria-description={mark && (folder ? 'Contains changes' : mark.label)}
      title={titleOf(entry, folder ? undefined : mark?.label)}
      className="explorer-row"
      data-path={entry.path}
      data-ignored={entry.ignored}
      data-cut={cut}
      data-drop={dropTarget}
      style={{ paddingLeft: 8 + depth * 14 }}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(dragType, entry.path)
        event.dataTransfer.setData(dragPathsType, JSON.stringify(targetsOf(entry.path)))
      }}
      onClick={(event) => {
        if (event.shiftKey) extendSelection(entry.path)
        else if (isMac ? event.metaKey : event.ctrlKey) toggleMark(entry.path)
        else openOrToggle(entry, { focus: false })
      }}
      onDoubleClick={() => {
        if (!folder) openOrToggle(entry, { focus: true })
      }}
      onContextMenu={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (!useTree.getState().marked.has(entry.path)) tree.select(entry.path)
        onMenu({ x: event.clientX, y: event.clientY }, entry)
      }}
    >
      <Icon name={folder ? (expanded ? 'chevron-down' : 'chevron-right') : 'blank'} className="explorer-twistie" />
      <Icon name={icon} color={color} />
      <span className="explorer-name" style={mark && { color: changeColor(mark.kind) }}>
        {entry.name}
      </span>
      {entry.type === 'symlink' && <Icon name="link" className="explorer-link" label="link" />}
      {mark && (
        <span
          className="explorer-mark"
          style={{ color: changeColor(mark.kind) }}
          data-letter={folder ? '•' : mark.letter}
        />
      )}
    </div>
  )
}

function titleOf({ path, type }: FileEntry, change: string | undefined): string {
  return `${path}${type === 'symlink' ? ' (link)' : ''}${change === undefined ? '' : ` • ${change}`}`
}
