import { useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { GitStatusSummary } from '../../shared/git/git.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import { changeColor, changeKindLabels } from '../platform/git/decorations.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { FileIcon } from '../ui/FileIcon.tsx'
import { Icon, IconButton, Menu, VirtualList, type MenuAnchor } from '../ui/index.ts'
import { gitChangeLetters } from '../../shared/git/git.ts'
import { changeMenu, rowActions, type RowAction } from './changeMenu.ts'
import { changeRows, changesOf, displayName, groupTitles, type ChangeRow } from './changeRows.ts'
import { attemptGit } from './failures.ts'
import { discard, markResolved, stage, unstage } from './gitActions.ts'
import { openChange } from './openChange.ts'

/** Selected rows, and the row that keys act on. Stored by id, because the list changes while it is shown. */
interface Selection {
  ids: ReadonlySet<string>
  active: string | null
  /** Row from which Shift extends the selection. */
  anchor: string | null
}

const noSelection: Selection = { ids: new Set(), active: null, anchor: null }

/** Ids of the rows between two rows, inclusive. */
function between(rows: readonly ChangeRow[], from: string | null, to: string): Set<string> {
  const indices = [from ?? to, to].map((id) =>
    Math.max(
      0,
      rows.findIndex((row) => row.id === id),
    ),
  )
  return new Set(rows.slice(Math.min(...indices), Math.max(...indices) + 1).map(({ id }) => id))
}

/** The selected changes without duplicates, in the active row's group. */
function selectedChanges(
  rows: readonly ChangeRow[],
  ids: ReadonlySet<string>,
  active: ChangeRow,
  status: GitStatusSummary,
) {
  const chosen = ids.has(active.id) ? rows.filter((row) => ids.has(row.id) && row.group === active.group) : [active]
  const changes = chosen.flatMap((row) => changesOf(row, status))
  return [...new Map(changes.map((each) => [`${each.from} ${each.change.path}`, each])).values()]
}

interface ChangeKeysOptions {
  rows: readonly ChangeRow[]
  activeIndex: number
  selection: Selection
  status: GitStatusSummary
  select: (selection: Selection) => void
  open: (row: ChangeRow) => void
  toggleFolded: (id: string) => void
  onMenu: (row: ChangeRow) => void
}

/** Keys of the list: arrows move and fold, Shift extends, Enter opens, Space stages or unstages, Delete discards. */
function changeKeys({
  rows,
  activeIndex,
  selection,
  status,
  select,
  open,
  toggleFolded,
  onMenu,
}: ChangeKeysOptions): (event: KeyboardEvent<HTMLDivElement>) => void {
  return (event) => {
    // A key on a row's button belongs to the button.
    if (event.target !== event.currentTarget) return
    const row = rows[activeIndex]
    if (!row) return
    const goTo = (index: number) => {
      const next = rows[Math.max(0, Math.min(rows.length - 1, index))]
      if (!next) return
      const ids = event.shiftKey ? between(rows, selection.anchor ?? row.id, next.id) : new Set([next.id])
      select({ ids, active: next.id, anchor: event.shiftKey ? (selection.anchor ?? row.id) : next.id })
    }
    const changes = () => selectedChanges(rows, selection.ids, row, status)
    const canFold = row.kind !== 'change'
    if (event.key === 'ArrowDown') goTo(activeIndex + 1)
    else if (event.key === 'ArrowUp') goTo(activeIndex - 1)
    else if (event.key === 'Home') goTo(0)
    else if (event.key === 'End') goTo(rows.length - 1)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey))
      select({ ...selection, ids: new Set(rows.filter(({ group }) => group === row.group).map(({ id }) => id)) })
    else if (event.key === 'Enter') open(row)
    else if (event.key === ' ') {
      if (row.group === 'staged') unstage(status.repository.id, changes())
      else if (row.group === 'merge')
        attemptGit(() => markResolved(status.repository.id, changes()), 'The files could not be marked as resolved')
      else stage(status.repository.id, changes())
    } else if (event.key === 'Delete' || (event.key === 'Backspace' && event.metaKey)) {
      if (row.group === 'changes') attemptGit(() => discard(status, changes()), 'Discarding failed')
    } else if (event.key === 'ArrowRight' && canFold && row.folded) toggleFolded(row.id)
    else if (event.key === 'ArrowLeft' && canFold && !row.folded) toggleFolded(row.id)
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      onMenu(row)
    } else return
    event.preventDefault()
  }
}

/** A repository's changed files in their groups. */
export function ChangesList({ status }: { status: GitStatusSummary }) {
  const tree = useLayout(({ git }) => git.tree)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [selection, setSelection] = useState(noSelection)
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; row: ChangeRow } | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => changeRows(status, { tree, folded }), [status, tree, folded])
  const found = rows.findIndex(({ id }) => id === selection.active)
  const activeIndex = found < 0 ? 0 : found
  const { repository } = status

  const toggleFolded = (id: string) => {
    const next = new Set(folded)
    if (!next.delete(id)) next.add(id)
    setFolded(next)
  }
  const open = (row: ChangeRow) => {
    if (row.kind !== 'change') return toggleFolded(row.id)
    const { name } = displayName(row.change.path)
    attemptGit(() => openChange(repository, row), `${name} could not be opened`)
  }
  const choose = (
    row: ChangeRow,
    { shiftKey, ctrlKey, metaKey }: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean },
  ) => {
    if (shiftKey) return setSelection({ ...selection, ids: between(rows, selection.anchor, row.id), active: row.id })
    if (ctrlKey || metaKey) {
      const ids = new Set(selection.ids)
      if (!ids.delete(row.id)) ids.add(row.id)
      return setSelection({ ids, active: row.id, anchor: row.id })
    }
    setSelection({ ids: new Set([row.id]), active: row.id, anchor: row.id })
    open(row)
  }

  const onKeyDown = changeKeys({
    rows,
    activeIndex,
    selection,
    status,
    select: setSelection,
    open,
    toggleFolded,
    onMenu: (row) => {
      const element = document.getElementById(rowElementId(row.id)) ?? list.current
      if (element) setMenu({ anchor: { element }, row })
    },
  })

  const onMenu = (row: ChangeRow, event: MouseEvent) => {
    event.preventDefault()
    if (!selection.ids.has(row.id)) setSelection({ ids: new Set([row.id]), active: row.id, anchor: row.id })
    setMenu({ anchor: { x: event.clientX, y: event.clientY }, row })
  }
  const active = rows[activeIndex]
  return (
    <>
      <VirtualList
        ref={list}
        className="git-changes"
        role="tree"
        aria-label="Changed files"
        aria-multiselectable
        tabIndex={0}
        aria-activedescendant={active && rowElementId(active.id)}
        items={rows}
        rowHeight={24}
        levelOf={levelOf}
        activeIndex={selection.active === null ? undefined : activeIndex}
        keyOf={({ id }) => id}
        onKeyDown={onKeyDown}
        renderRow={(row) => (
          <Row
            row={row}
            tree={tree}
            selected={selection.ids.has(row.id)}
            active={row === active}
            actions={rowActions(status, row, () => selectedChanges(rows, selection.ids, row, status))}
            onChoose={(event) => choose(row, event)}
            onMenu={(event) => onMenu(row, event)}
          />
        )}
      />
      {status.truncated && (
        <p className="git-note">There are too many changes to list. Stage, ignore or delete some to see the others.</p>
      )}
      {menu && (
        <Menu
          groups={changeMenu(status, menu.row, selectedChanges(rows, selection.ids, menu.row, status))}
          anchor={menu.anchor}
          label="Change actions"
          onClose={() => setMenu(null)}
        />
      )}
    </>
  )
}

/** DOM id of a row. Encodes spaces, because `aria-activedescendant` is an id without spaces. */
const rowElementId = (id: string): string => `git-${encodeURIComponent(id.toWellFormed())}`

const levelOf = (row: ChangeRow): number => (row.kind === 'group' ? 1 : row.depth + 2)

interface RowProps {
  row: ChangeRow
  tree: boolean
  selected: boolean
  active: boolean
  actions: readonly RowAction[]
  onChoose: (event: MouseEvent) => void
  onMenu: (event: MouseEvent) => void
}

function Row({ row, tree, selected, active, actions, onChoose, onMenu }: RowProps) {
  return (
    <div
      id={rowElementId(row.id)}
      role="treeitem"
      aria-level={levelOf(row)}
      aria-selected={selected}
      aria-expanded={row.kind === 'change' ? undefined : !row.folded}
      aria-label={labelOf(row)}
      title={titleOf(row)}
      className={`git-row git-row-${row.kind}`}
      data-active={active}
      data-path={row.kind === 'change' ? row.change.path.toWellFormed() : undefined}
      style={{ paddingLeft: row.kind === 'group' ? 8 : 20 + row.depth * 14 }}
      onClick={onChoose}
      onContextMenu={onMenu}
    >
      <RowContent row={row} tree={tree} />
      <span className="git-row-actions">
        {actions.map(({ icon, label, run }) => (
          <IconButton
            key={label}
            icon={icon}
            label={label}
            tabIndex={-1}
            onClick={(event) => {
              event.stopPropagation()
              run()
            }}
          />
        ))}
      </span>
      {row.kind === 'group' && (
        <span className="ui-badge">
          {row.count} <span className="visually-hidden">{pluralNoun(row.count, 'file')}</span>
        </span>
      )}
      {row.kind === 'change' && (
        <span
          className="git-letter"
          style={{ color: changeColor(row.change.kind) }}
          data-letter={gitChangeLetters[row.change.kind]}
        />
      )}
    </div>
  )
}

function RowContent({ row, tree }: { row: ChangeRow; tree: boolean }) {
  if (row.kind === 'group')
    return (
      <>
        <Icon name={row.folded ? 'chevron-right' : 'chevron-down'} className="git-twistie" />
        <span className="git-group-title">{groupTitles[row.group]}</span>{' '}
      </>
    )
  if (row.kind === 'folder')
    return (
      <>
        <Icon name={row.folded ? 'chevron-right' : 'chevron-down'} className="git-twistie" />
        <span className="git-name git-row-grow">{row.name.toWellFormed()}</span>
      </>
    )
  const { name, folder } = displayName(row.change.path)
  const isFolder = row.change.path.endsWith('/')
  return (
    <>
      {row.change.submodule ? (
        <Icon name="file-submodule" color="var(--color-text-muted)" />
      ) : (
        <FileIcon
          path={isFolder ? row.change.path.slice(0, -1) : row.change.path}
          kind={isFolder ? 'folder' : 'file'}
        />
      )}
      <span className="git-name" data-deleted={row.change.kind === 'deleted'}>
        {name}
      </span>{' '}
      <span className="git-folder">{tree ? '' : folder}</span>
    </>
  )
}

function labelOf(row: ChangeRow): string {
  if (row.kind === 'group') return `${groupTitles[row.group]} ${plural(row.count, 'file')}`
  if (row.kind === 'folder') return row.name.toWellFormed()
  // Starts with the visible text, because voice control matches on it.
  const { name, folder } = displayName(row.change.path)
  return `${folder === '' ? name : `${name} ${folder}`}, ${changeKindLabels[row.change.kind]}`
}

function titleOf(row: ChangeRow): string | undefined {
  if (row.kind !== 'change') return undefined
  const { path, from, kind } = row.change
  return [path.toWellFormed(), changeKindLabels[kind], from === undefined ? '' : `Renamed from ${from.toWellFormed()}`]
    .filter(Boolean)
    .join(' • ')
}
