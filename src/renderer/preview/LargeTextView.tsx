import { useEffect, useState } from 'react'
import { encodingTexts } from '../../shared/files/encodings.ts'
import { toFailure, type Failure } from '../../shared/errors.ts'
import type { FileText } from '../../shared/files/files.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { FileViewProps } from '../platform/editor/fileViews.tsx'
import { showPreview } from '../platform/editor/tabsStore.ts'
import { Button, IconButton, Spinner } from '../ui/index.ts'
import { PageButtons, PreviewFailure } from './previewParts.tsx'
import './preview.css'

/** A text file that is too large for the editor, read-only, one megabyte per page. */
export function LargeTextView({ path }: FileViewProps) {
  const [part, setPart] = useState(0)
  const [shown, setShown] = useState<{ part: number; file: FileText } | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  useEffect(() => {
    let current = true
    request('files.textPart', { path, part }).then(
      (file) => current && setShown({ part, file }),
      (error: unknown) => current && setFailure(toFailure(error)),
    )
    return () => {
      current = false
    }
  }, [path, part])
  if (failure) return <PreviewFailure failure={failure} />
  if (!shown) return <Spinner label="Opening" />
  const { text, encoding, size, parts } = shown.file
  return (
    <div className="preview">
      <div className="preview-bar" role="toolbar" aria-label="Large file">
        <PageButtons page={part} last={parts - 1} onPage={setPart} />
        <IconButton
          icon="arrow-down"
          label="Last megabyte"
          disabled={part >= parts - 1}
          onClick={() => setPart(parts - 1)}
        />
        <span className="preview-facts" role="status">
          {`Large file, read-only · ${formatSize(size)} · ${encodingTexts[encoding].title} · megabyte ${formatNumber(shown.part + 1)} of ${formatNumber(parts)}`}
        </span>
        <Button size="small" icon="file-binary" onClick={() => showPreview(path, 'hex')}>
          Show bytes
        </Button>
      </div>
      <pre key={shown.part} className="preview-large-text" tabIndex={0} aria-label="Text of the file">
        {text}
      </pre>
    </div>
  )
}
