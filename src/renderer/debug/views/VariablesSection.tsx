import { useMemo, useRef, useState } from 'react'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { attempt } from '../../platform/notices.ts'
import { formatKeys } from '../../platform/keymap/keyNotation.ts'
import { Menu, type MenuAnchor, type MenuGroup } from '../../ui/index.ts'
import { addDataBreakpoint } from './breakpointChanges.ts'
import { copyText } from '../values/copyText.ts'
import { addWatch, setVariable, variableTree, wholeValue } from '../values/frameValues.ts'
import { RowTree } from '../values/RowTree.tsx'
import { Section } from './Section.tsx'
import { ValueRowView } from '../values/ValueRowView.tsx'
import { valueRows, type ValueNode, type ValueRow } from '../values/valueTree.ts'

const expandedOf = (row: ValueRow): boolean | null => (row.kind === 'value' ? row.expanded : null)

/** Expands or collapses a value, or loads the next ones. */
function toggle(row: ValueRow): void {
  if (row.kind === 'value') attempt(() => variableTree.toggle(row.node))
  else if (row.kind === 'more') attempt(() => variableTree.loadMore(row.parent), 'The values could not be read')
}

interface MenuProps {
  node: ValueNode
  anchor: MenuAnchor
  canSet: boolean
  onSet: () => void
  onClose: () => void
}

function VariableMenu({ node, anchor, canSet, onSet, onClose }: MenuProps) {
  const session = useDebug(selectedSession)
  const { evaluateName, container } = node
  const groups: MenuGroup[] = [
    {
      items: [
        ...(canSet ? [{ id: 'set', label: 'Set value', icon: 'edit', shortcut: formatKeys('F2'), run: onSet }] : []),
        {
          id: 'copy',
          label: 'Copy value',
          icon: 'copy',
          shortcut: formatKeys('Mod+C'),
          run: () => copyText('value', () => wholeValue(node)),
        },
        ...(evaluateName === undefined
          ? []
          : [
              {
                id: 'expression',
                label: 'Copy as expression',
                run: () => copyText('expression', () => Promise.resolve(evaluateName)),
              },
              { id: 'watch', label: 'Add to watch', icon: 'eye', run: () => addWatch(evaluateName) },
            ]),
      ],
    },
    {
      items:
        session?.features.dataBreakpoints === true && container !== undefined
          ? [
              {
                id: 'data',
                label: 'Break when value changes',
                icon: 'debug-breakpoint-data',
                run: () => attempt(() => addDataBreakpoint(session.id, container, node.name)),
              },
            ]
          : [],
    },
  ]
  return <Menu label={`Actions for ${node.name}`} anchor={anchor} onClose={onClose} groups={groups} />
}

/** The variables of the selected frame, by scope. */
export function VariablesSection() {
  const { roots, children, toggled, previous } = variableTree.use()
  const rows = useMemo(() => valueRows({ children, toggled, previous }, roots), [roots, children, toggled, previous])
  const session = useDebug(selectedSession)
  const hasFrame = useDebug((state) => state.selectedFrame !== null)
  const [edited, setEdited] = useState<string | null>(null)
  const [menu, setMenu] = useState<{ node: ValueNode; anchor: MenuAnchor } | null>(null)
  const tree = useRef<HTMLDivElement>(null)
  const canSet = (node: ValueNode): boolean =>
    session?.state === 'stopped' &&
    session.features.setVariable &&
    node.kind === 'variable' &&
    !node.readOnly &&
    // Groups of debugpy, such as "special variables".
    (node.value !== '' || node.reference === 0) &&
    node.container !== undefined

  function finishEdit(node: ValueNode, text: string | null): void {
    setEdited(null)
    tree.current?.focus()
    if (text !== null && text !== node.value) attempt(() => setVariable(node, text), `${node.name} could not be set`)
  }

  function onKey(row: ValueRow, key: string): boolean {
    if (key === 'Enter' || key === ' ') {
      toggle(row)
      return true
    }
    if (row.kind !== 'value' || row.node.kind !== 'variable') return false
    if (key === 'F2' && canSet(row.node)) setEdited(row.id)
    else if (key === 'Mod+C') copyText('value', () => wholeValue(row.node))
    else return false
    return true
  }

  return (
    <Section name="variables" title="Variables" rows={rows.length} minRows={6}>
      {rows.length === 0 ? (
        <p className="debug-hint">
          {session?.state !== 'stopped'
            ? 'Shown when the program stops.'
            : hasFrame
              ? 'The selected frame has no variables.'
              : 'No frame is selected.'}
        </p>
      ) : (
        <RowTree
          ref={tree}
          name="debug-variable"
          label="Variables"
          rows={rows}
          expandedOf={expandedOf}
          onToggle={toggle}
          onKey={onKey}
          onMenu={(row, anchor) => {
            if (row.kind === 'value' && row.node.kind === 'variable') setMenu({ node: row.node, anchor })
          }}
          renderRow={(row, attributes, select) => (
            <ValueRowView
              row={row}
              attributes={attributes}
              onClick={select}
              onToggle={() => toggle(row)}
              onDoubleClick={() => {
                if (row.kind === 'value' && row.expanded === null && canSet(row.node)) setEdited(row.id)
              }}
              onContextMenu={(event) => {
                if (row.kind !== 'value' || row.node.kind !== 'variable') return
                event.preventDefault()
                select()
                setMenu({ node: row.node, anchor: { x: event.clientX, y: event.clientY } })
              }}
              edit={
                row.kind === 'value' && row.id === edited
                  ? {
                      label: `Value of ${row.node.name}`,
                      initial: row.node.value,
                      onDone: (text) => finishEdit(row.node, text),
                    }
                  : undefined
              }
            />
          )}
        />
      )}
      {menu && (
        <VariableMenu
          node={menu.node}
          anchor={menu.anchor}
          canSet={canSet(menu.node)}
          onSet={() => setEdited(menu.node.key)}
          onClose={() => setMenu(null)}
        />
      )}
    </Section>
  )
}
