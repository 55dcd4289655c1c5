import { useState } from 'react'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import type { FileViewProps } from '../platform/editor/fileViews.tsx'
import { useFileBytes } from '../platform/editor/documents/useFileBytes.ts'
import { EmptyState, Spinner, VirtualList } from '../ui/index.ts'
import { bytesPerRow, hexRow } from './hexRow.ts'
import { PageButtons, PreviewFailure } from './previewParts.tsx'
import './preview.css'

/** Bytes per page. */
const pageSize = 1024 * 1024

/** The bytes of a file, one megabyte per page. Read-only. */
export function HexView({ path }: FileViewProps) {
  const [page, setPage] = useState(0)
  const offset = page * pageSize
  const { loaded, failure } = useFileBytes(path, offset, pageSize)
  if (failure) return <PreviewFailure failure={failure} />
  if (!loaded) return <Spinner label="Opening" />
  if (loaded.size === 0)
    return (
      <EmptyState icon="file-binary" title="The file is empty">
        It has 0 bytes.
      </EmptyState>
    )
  const { bytes, size } = loaded
  const lastPage = Math.floor((size - 1) / pageSize)
  const rows = Array.from({ length: Math.ceil(bytes.length / bytesPerRow) }, (_, row) => row)
  return (
    <div className="preview">
      <div className="preview-bar" role="toolbar" aria-label="Bytes">
        <PageButtons page={page} last={lastPage} onPage={setPage} />
        <span className="preview-facts" role="status">
          {formatSize(size)}
          {lastPage > 0 && ` · page ${formatNumber(page + 1)} of ${formatNumber(lastPage + 1)}`}
        </span>
      </div>
      {bytes.length === 0 ? (
        <EmptyState icon="file-binary" title="The file is shorter now">
          Go back to the previous page.
        </EmptyState>
      ) : (
        <VirtualList
          key={page}
          className="preview-hex"
          role="list"
          aria-label="Bytes of the file"
          tabIndex={0}
          items={rows}
          rowHeight={20}
          keyOf={(row) => row}
          renderRow={(row) => {
            const { offset: at, hex, text } = hexRow(bytes, row, offset)
            return (
              <div className="preview-hex-row" role="listitem">
                <span className="preview-hex-offset">{at}</span>
                <span className="preview-hex-bytes">{hex}</span>
                <span>{text}</span>
              </div>
            )
          }}
        />
      )}
    </div>
  )
}
