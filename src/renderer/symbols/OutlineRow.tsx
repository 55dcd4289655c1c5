import { Icon } from '../ui/index.ts'
import type { OutlineRow as Row } from './outlineTree.ts'
import { kindLabel, symbolIcon } from '../ui/symbolIcon.ts'

interface OutlineRowProps {
  row: Row
  id: string
  selected: boolean
  /** Whether the cursor of the editor is in the symbol. */
  current: boolean
  onOpen: () => void
  onToggle: () => void
}

/** A symbol in the outline tree. */
export function OutlineRow({
  row: { symbol, depth, expanded, matched },
  id,
  selected,
  current,
  onOpen,
  onToggle,
}: OutlineRowProps) {
  const { icon, color } = symbolIcon(symbol.kind)
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-current={current ? 'location' : undefined}
      aria-expanded={expanded ?? undefined}
      aria-label={`${symbol.name}, ${kindLabel(symbol.kind)}`}
      title={symbol.signature}
      className="outline-row"
      data-matched={matched}
      style={{ paddingLeft: 8 + depth * 12 }}
      onClick={onOpen}
    >
      <span
        className="outline-twistie"
        onClick={(event) => {
          if (expanded === null) return
          event.stopPropagation()
          onToggle()
        }}
      >
        <Icon name={expanded === null ? 'blank' : expanded ? 'chevron-down' : 'chevron-right'} className="ui-twistie" />
      </span>
      <Icon name={icon} color={color} label={kindLabel(symbol.kind)} />
      <span className="outline-name">{symbol.name}</span>
    </div>
  )
}
