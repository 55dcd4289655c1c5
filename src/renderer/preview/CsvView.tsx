import { useEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import type { FileViewProps } from '../platform/editor/fileViews.tsx'
import { startWorker } from '../platform/editor/monaco/monacoWorkers.ts'
import { useFileText } from '../platform/editor/documents/useFileText.ts'
import { EmptyState, Spinner, VirtualList } from '../ui/index.ts'
import type { CsvTable } from './csvRows.ts'
import csvWorkerUrl from './csvWorker.ts?worker&url'
import { PreviewFailure } from './previewParts.tsx'
import './preview.css'

/** Parses in a worker. Keeps the previous table while a new text is parsed. */
function useCsvTable(text: string | null): CsvTable | null {
  const [table, setTable] = useState<CsvTable | null>(null)
  useEffect(() => {
    if (text === null) return
    const worker = startWorker(csvWorkerUrl, 'csv')
    worker.addEventListener('message', ({ data }: MessageEvent<CsvTable>) => setTable(data))
    worker.postMessage(text)
    return () => worker.terminate()
  }, [text])
  return table
}

const widthRows = 200
const maxWidth = 40

/** Column widths in characters, from the first rows. */
function columnWidths({ rows, columns }: CsvTable): number[] {
  return Array.from({ length: columns }, (_, column) =>
    rows
      .slice(0, widthRows)
      .reduce((widest, row) => Math.min(maxWidth, Math.max(widest, (row[column] ?? '').length)), 4),
  )
}

/** Shows a CSV or TSV file as a table. The first row is the header. Follows unsaved text. */
export function CsvView({ path }: FileViewProps) {
  const { text, failure } = useFileText(path)
  const table = useCsvTable(text)
  if (failure && text === null) return <PreviewFailure failure={failure} />
  if (!table) return <Spinner label="Opening" />
  if (table.rows.length === 0)
    return (
      <EmptyState icon="table" title="There are no rows">
        {table.problem ?? 'The file is empty.'}
      </EmptyState>
    )
  return <Table table={table} name={path.slice(path.lastIndexOf('/') + 1)} />
}

function Table({ table, name }: { table: CsvTable; name: string }) {
  const header = useRef<HTMLDivElement>(null)
  const { rows, columns, truncated, problem } = table
  const widths = useMemo(() => columnWidths(table), [table])
  const template = `5ch ${widths.map((width) => `${width + 3}ch`).join(' ')}`
  const cells = (row: readonly string[], role: 'columnheader' | 'cell') =>
    widths.map((_, column) => (
      <span key={column} role={role} title={row[column]}>
        {row[column] ?? ''}
      </span>
    ))
  const body = rows.slice(1)
  return (
    <div className="preview">
      <div className="preview-bar">
        <span className="preview-facts" role="status">
          {plural(body.length, 'row')}, {plural(columns, 'column')}
          {truncated &&
            `. Only the first ${formatNumber(body.length)} rows and ${formatNumber(columns)} columns are shown`}
          {problem && <span className="preview-problem"> · {problem}</span>}
        </span>
      </div>
      <div className="preview-table" role="table" aria-label={name} aria-rowcount={rows.length} aria-colcount={columns}>
        <div className="preview-table-header" role="rowgroup" ref={header}>
          <div className="preview-table-row" role="row" style={{ gridTemplateColumns: template }}>
            <span role="columnheader" aria-label="Row" />
            {cells(rows[0] ?? [], 'columnheader')}
          </div>
        </div>
        <VirtualList
          className="preview-table-body"
          role="rowgroup"
          aria-label="Rows"
          tabIndex={0}
          items={body}
          rowHeight={24}
          keyOf={(_row, index) => index}
          onScroll={({ currentTarget }) => {
            if (header.current) header.current.scrollLeft = currentTarget.scrollLeft
          }}
          renderRow={(row, index) => (
            <div
              className="preview-table-row"
              role="row"
              aria-rowindex={index + 2}
              style={{ gridTemplateColumns: template }}
            >
              <span className="preview-table-number" role="rowheader">
                {index + 1}
              </span>
              {cells(row, 'cell')}
            </div>
          )}
        />
      </div>
    </div>
  )
}
