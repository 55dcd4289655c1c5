import { useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { Icon } from '../../ui/index.ts'
import type { RowAttributes } from './RowTree.tsx'
import type { ValueNode, ValueRow } from './valueTree.ts'

/** Maximum number of characters of a value in a row and in its tooltip. */
const shown = { row: 500, tooltip: 2000 }

/** Classifies a value, for its color. */
function lookOf({ value, type = '', failed = false, unavailable = false }: ValueNode): string {
  if (unavailable) return 'note'
  if (failed) return 'error'
  if (/^(str|string|bytes|std::string|&str|alloc::string::String)\b/.test(type) || /^[bruf]{0,2}["'`]/i.test(value))
    return 'string'
  if (/^[-+]?(0x[\da-f]+|\d[\d_.]*(e[-+]?\d+)?n?|nan|inf(inity)?)$/i.test(value)) return 'number'
  if (/^(true|false|none|null|nil|undefined|nullptr)$/i.test(value)) return 'keyword'
  return 'other'
}

function tooltipOf({ name, value, type }: ValueNode): string {
  const text = value.length > shown.tooltip ? `${value.slice(0, shown.tooltip)}…` : value
  return visibleText(`${name}${type === undefined || type === '' ? '' : ` (${type})`}${text === '' ? '' : `\n${text}`}`)
}

interface EditFieldProps {
  label: string
  initial: string
  /** Called with the text; null if it is cancelled. */
  onDone: (text: string | null) => void
}

/** Text field in a row. Enter or leaving the field accepts the text, Escape cancels. */
export function EditField({ label, initial, onDone }: EditFieldProps) {
  const [text, setText] = useState(initial)
  const done = useRef(false)
  function finish(result: string | null): void {
    if (done.current) return
    done.current = true
    onDone(result)
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') finish(text)
    else if (event.key === 'Escape') finish(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <input
      className="ui-input debug-edit"
      aria-label={label}
      value={text}
      spellCheck={false}
      autoComplete="off"
      ref={(element) => {
        if (element === null || element.dataset['focused']) return
        element.dataset['focused'] = 'true'
        element.focus()
        element.select()
      }}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => finish(text === initial ? null : text)}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    />
  )
}

interface ValueRowViewProps {
  row: ValueRow
  attributes: RowAttributes
  onClick: () => void
  onToggle: () => void
  onDoubleClick?: () => void
  onContextMenu?: (event: MouseEvent) => void
  /** Field in place of the value. */
  edit?: EditFieldProps | undefined
}

/** A value with its name, or a row about the values above it. */
export function ValueRowView({
  row,
  attributes,
  onClick,
  onToggle,
  onDoubleClick,
  onContextMenu,
  edit,
}: ValueRowViewProps) {
  if (row.kind === 'note')
    return (
      <div {...attributes} onClick={onClick} title={row.text}>
        <Icon name="blank" className="debug-twistie" />
        <span className={row.failed ? 'debug-value' : 'debug-note'} data-look={row.failed ? 'error' : undefined}>
          {visibleText(row.text)}
        </span>
      </div>
    )
  if (row.kind === 'more')
    return (
      <div
        {...attributes}
        onClick={() => {
          onClick()
          onToggle()
        }}
      >
        <Icon name="blank" className="debug-twistie" />
        <span className="debug-more">Load more…</span>
      </div>
    )
  const { node, expanded, changed } = row
  return (
    <div
      {...attributes}
      aria-expanded={expanded ?? undefined}
      title={edit ? undefined : tooltipOf(node)}
      data-kind={node.kind}
      onClick={() => {
        onClick()
        if (expanded !== null && edit === undefined) onToggle()
      }}
      onDoubleClick={onDoubleClick}
      onContextMenu={onContextMenu}
    >
      <Icon
        name={expanded === null ? 'blank' : expanded ? 'chevron-down' : 'chevron-right'}
        className="debug-twistie"
      />
      <span className="debug-name">{visibleText(node.name)}</span>
      {edit ? (
        <EditField {...edit} />
      ) : (
        (node.value !== '' || node.kind === 'variable' || node.kind === 'result') && (
          <>
            <span className="debug-colon">{node.value === '' ? '' : ':'}</span>
            <span className="debug-value" data-look={lookOf(node)} data-changed={changed || undefined}>
              {visibleText(node.value.slice(0, shown.row))}
            </span>
            {changed && <span className="visually-hidden"> (changed)</span>}
          </>
        )
      )}
    </div>
  )
}
