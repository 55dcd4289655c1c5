import { useMemo, useState } from 'react'
import type { SymbolLine } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { openLocation } from '../editor/openLocation.ts'
import { Button, Icon } from '../../ui/index.ts'
import { kindLabel, symbolIcon } from '../../ui/symbolIcon.ts'

/** Number of rows shown before the list is expanded. */
const collapsedRows = 100

/** Lists symbols grouped by file or heading and indented by depth. A click opens the symbol in the editor. */
export function SymbolList({ symbols, note }: { symbols: readonly SymbolLine[]; note?: string }) {
  const [expanded, setExpanded] = useState(false)
  const groups = useMemo(
    () => Map.groupBy(expanded ? symbols : symbols.slice(0, collapsedRows), headingOf),
    [symbols, expanded],
  )
  return (
    <div className="match-list symbol-list">
      {symbols.length === 0 && <p className="tool-note">Nothing was found.</p>}
      {[...groups].map(([heading, rows]) => (
        <section key={heading} aria-label={heading}>
          <Heading heading={heading} rows={rows} />
          {rows.map((row, index) => (
            // Overloads can share name and line. The order does not change.
            <SymbolRow key={index} row={row} />
          ))}
        </section>
      ))}
      {!expanded && symbols.length > collapsedRows && (
        <Button size="small" variant="ghost" onClick={() => setExpanded(true)}>
          {`Show all ${plural(symbols.length, 'symbol')}`}
        </Button>
      )}
      {note && <p className="tool-note">{note}</p>}
    </div>
  )
}

function headingOf(row: SymbolLine): string {
  return row.group ?? row.path
}

function Heading({ heading, rows }: { heading: string; rows: readonly SymbolLine[] }) {
  const count = <span className="ui-badge">{rows.length}</span>
  if (rows[0]?.group !== undefined) {
    return (
      <div className="match-file match-folder">
        <span className="symbol-heading">{heading}</span>
        {count}
      </div>
    )
  }
  return (
    <button
      type="button"
      className="match-file"
      title={`Open ${heading}`}
      onClick={() => openLocation(heading, rows[0]?.line)}
    >
      <Icon name="file" />
      <span className="match-path">{heading}</span>
      {count}
    </button>
  )
}

function SymbolRow({ row }: { row: SymbolLine }) {
  const { path, line, kind, name, signature, depth, group, unsure } = row
  const location = `${path}:${line}`
  return (
    <button
      type="button"
      className="match-row symbol-row"
      title={`Open ${location}`}
      onClick={() => openLocation(path, line)}
    >
      {group === undefined && <span className="match-line">{line}</span>}
      <span className="symbol-name" style={{ paddingLeft: depth * 16 }}>
        <Icon name={symbolIcon(kind).icon} label={kind === '' ? undefined : kindLabel(kind)} />
        <span className="match-text">{signature === '' ? name : signature}</span>
      </span>
      {unsure && (
        <span className="symbol-unsure" title="Matched by name only; no import or scope resolves to it.">
          by name
        </span>
      )}
      {group !== undefined && <span className="symbol-place">{location}</span>}
    </button>
  )
}
