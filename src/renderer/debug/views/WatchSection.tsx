import { useMemo, useRef, useState } from 'react'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { attempt } from '../../platform/notices.ts'
import { formatKeys } from '../../platform/keymap/keyNotation.ts'
import { IconButton, Menu, type MenuAnchor, type MenuItem } from '../../ui/index.ts'
import { copyText } from '../values/copyText.ts'
import { addWatch, clearWatch, removeWatch, replaceWatch, watchTree, wholeValue } from '../values/frameValues.ts'
import { RowTree } from '../values/RowTree.tsx'
import { Section } from './Section.tsx'
import { EditField, ValueRowView } from '../values/ValueRowView.tsx'
import { valueRows, type ValueNode, type ValueRow } from '../values/valueTree.ts'

const expandedOf = (row: ValueRow): boolean | null => (row.kind === 'value' ? row.expanded : null)

function toggle(row: ValueRow): void {
  if (row.kind === 'value') attempt(() => watchTree.toggle(row.node))
  else if (row.kind === 'more') attempt(() => watchTree.loadMore(row.parent), 'The values could not be read')
}

const isExpression = (row: ValueRow): row is Extract<ValueRow, { kind: 'value' }> =>
  row.kind === 'value' && row.node.kind === 'result'

interface MenuProps {
  node: ValueNode
  anchor: MenuAnchor
  onEdit: () => void
  onClose: () => void
}

function WatchMenu({ node, anchor, onEdit, onClose }: MenuProps) {
  const copy: MenuItem = {
    id: 'copy',
    label: 'Copy value',
    icon: 'copy',
    shortcut: formatKeys('Mod+C'),
    run: () => copyText('value', () => wholeValue(node)),
  }
  const edit: MenuItem = {
    id: 'edit',
    label: 'Edit expression',
    icon: 'edit',
    shortcut: formatKeys('F2'),
    run: onEdit,
  }
  const remove: MenuItem = {
    id: 'remove',
    label: 'Remove expression',
    icon: 'close',
    shortcut: formatKeys('Delete'),
    run: () => removeWatch(node.name),
  }
  return (
    <Menu
      label={`Actions for ${node.name}`}
      anchor={anchor}
      onClose={onClose}
      groups={[{ items: [copy] }, { items: node.kind === 'result' ? [edit, remove] : [] }]}
    />
  )
}

/** The watched expressions as rows. They have no values while the program runs. */
function useWatchRows(): ValueRow[] {
  const { roots, children, toggled, previous } = watchTree.use()
  const expressions = useLayout(({ debug }) => debug.watch)
  const stopped = useDebug((state) => selectedSession(state)?.state === 'stopped')
  return useMemo(() => {
    const evaluated = new Map(roots.map((root) => [root.key, root]))
    const shown = expressions.map(
      (expression): ValueNode =>
        evaluated.get(expression) ?? {
          key: expression,
          kind: 'result',
          name: expression,
          value: stopped ? '' : 'not available',
          reference: 0,
          readOnly: true,
          unavailable: true,
        },
    )
    return valueRows({ children, toggled, previous }, shown)
  }, [roots, children, toggled, previous, expressions, stopped])
}

/** What is being edited: a new expression, an existing one, or nothing. */
type Edit = { adds: true } | { expression: string } | null

/** Watched expressions with their values in the selected frame. */
export function WatchSection() {
  const rows = useWatchRows()
  const [edit, setEdit] = useState<Edit>(null)
  const [menu, setMenu] = useState<{ node: ValueNode; anchor: MenuAnchor } | null>(null)
  const tree = useRef<HTMLDivElement>(null)
  const adds = edit !== null && 'adds' in edit

  function onKey(row: ValueRow, key: string): boolean {
    if (key === 'Enter' || key === ' ') toggle(row)
    else if (row.kind !== 'value') return false
    else if (key === 'F2' && isExpression(row)) setEdit({ expression: row.node.name })
    else if ((key === 'Delete' || key === 'Backspace') && isExpression(row)) removeWatch(row.node.name)
    else if (key === 'Mod+C') copyText('value', () => wholeValue(row.node))
    else return false
    return true
  }

  return (
    <Section
      name="watch"
      title="Watch"
      rows={rows.length}
      extra={adds && rows.length > 0 ? 28 : 0}
      actions={
        <>
          <IconButton icon="add" label="Add expression" onClick={() => setEdit({ adds: true })} />
          {rows.length > 0 && <IconButton icon="close-all" label="Remove all expressions" onClick={clearWatch} />}
        </>
      }
    >
      {adds && (
        <div className="debug-add">
          <EditField
            label="Expression to watch"
            initial=""
            onDone={(text) => {
              setEdit(null)
              if (text !== null) addWatch(text)
              requestAnimationFrame(() => tree.current?.focus())
            }}
          />
        </div>
      )}
      {rows.length === 0 && !adds && <p className="debug-hint">No expressions are watched.</p>}
      {rows.length > 0 && (
        <RowTree
          ref={tree}
          name="debug-watch"
          label="Watch"
          rows={rows}
          expandedOf={expandedOf}
          onToggle={toggle}
          onKey={onKey}
          onMenu={(row, anchor) => {
            if (row.kind === 'value') setMenu({ node: row.node, anchor })
          }}
          renderRow={(row, attributes, select) => (
            <ValueRowView
              row={row}
              attributes={attributes}
              onClick={select}
              onToggle={() => toggle(row)}
              onDoubleClick={() => {
                if (isExpression(row) && row.expanded === null) setEdit({ expression: row.node.name })
              }}
              onContextMenu={(event) => {
                if (row.kind !== 'value') return
                event.preventDefault()
                select()
                setMenu({ node: row.node, anchor: { x: event.clientX, y: event.clientY } })
              }}
              edit={
                isExpression(row) && edit !== null && 'expression' in edit && edit.expression === row.node.name
                  ? {
                      label: 'Expression',
                      initial: row.node.name,
                      onDone: (text) => {
                        setEdit(null)
                        if (text !== null) replaceWatch(row.node.name, text)
                        tree.current?.focus()
                      },
                    }
                  : undefined
              }
            />
          )}
        />
      )}
      {menu && (
        <WatchMenu
          node={menu.node}
          anchor={menu.anchor}
          onEdit={() => setEdit({ expression: menu.node.name })}
          onClose={() => setMenu(null)}
        />
      )}
    </Section>
  )
}
