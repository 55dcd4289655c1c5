import { useMemo, useState } from 'react'
import { maxPreviewBytes } from '../../shared/files/files.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { imageTypeOf, type FileViewProps } from '../platform/editor/fileViews.tsx'
import { showPreview } from '../platform/editor/tabsStore.ts'
import { dataUrl, useFileBytes } from '../platform/editor/documents/useFileBytes.ts'
import { useFileText } from '../platform/editor/documents/useFileText.ts'
import { Button, EmptyState, IconButton, Spinner } from '../ui/index.ts'
import { PreviewFailure } from './previewParts.tsx'
import './preview.css'

const zoomSteps = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 8, 16]

/** The next larger (1) or smaller (-1) step. */
function stepped(zoom: number, direction: 1 | -1): number {
  const next =
    direction === 1 ? zoomSteps.find((step) => step > zoom + 1e-6) : zoomSteps.findLast((step) => step < zoom - 1e-6)
  return next ?? zoom
}

/** An image file with its size and zoom. SVG is shown as an image only, so that its scripts do not run. */
export function ImageView({ path }: FileViewProps) {
  return path.toLowerCase().endsWith('.svg') ? <SvgView path={path} /> : <RasterView path={path} />
}

function SvgView({ path }: FileViewProps) {
  const { text, failure } = useFileText(path)
  const source = useMemo(
    () => (text === null ? null : `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text.toWellFormed())}`),
    [text],
  )
  if (failure) return <PreviewFailure failure={failure} />
  if (text === null || source === null) return <Spinner label="Opening" />
  return <Zoomable path={path} source={source} size={new Blob([text]).size} />
}

function RasterView({ path }: FileViewProps) {
  const { loaded, failure } = useFileBytes(path, 0, maxPreviewBytes)
  const source = useMemo(() => {
    if (!loaded || loaded.size > maxPreviewBytes) return null
    return dataUrl(loaded.bytes, imageTypeOf(path) ?? 'image/png')
  }, [loaded, path])
  if (failure) return <PreviewFailure failure={failure} />
  if (!loaded) return <Spinner label="Opening" />
  if (source === null)
    return (
      <EmptyState icon="file-media" title="This image is too large to show" actions={<BytesButton path={path} />}>
        It has {formatSize(loaded.size)}; the maximum is {formatSize(maxPreviewBytes)}.
      </EmptyState>
    )
  return <Zoomable path={path} source={source} size={loaded.size} />
}

function BytesButton({ path }: { path: string }) {
  return (
    <Button icon="file-binary" onClick={() => showPreview(path, 'hex')}>
      Show bytes
    </Button>
  )
}

function Zoomable({ path, source, size }: { path: string; source: string; size: number }) {
  /** Zoom factor; null fits the image into the view. */
  const [zoom, setZoom] = useState<number | null>(null)
  const [natural, setNatural] = useState<{ width: number; height: number } | null>(null)
  /** The source that could not be decoded. */
  const [broken, setBroken] = useState<string | null>(null)
  if (broken === source)
    return (
      <EmptyState icon="file-media" title="The image could not be shown" actions={<BytesButton path={path} />}>
        The file is damaged, or its content does not match its file name extension.
      </EmptyState>
    )
  const name = path.slice(path.lastIndexOf('/') + 1)
  const width = natural && zoom !== null ? natural.width * zoom : undefined
  return (
    <div className="preview">
      <div className="preview-bar" role="toolbar" aria-label="Image">
        <IconButton icon="zoom-out" label="Zoom out" onClick={() => setZoom(stepped(zoom ?? 1, -1))} />
        <IconButton icon="zoom-in" label="Zoom in" onClick={() => setZoom(stepped(zoom ?? 1, 1))} />
        <Button size="small" aria-pressed={zoom === 1} onClick={() => setZoom(1)}>
          Actual size
        </Button>
        <Button size="small" aria-pressed={zoom === null} onClick={() => setZoom(null)}>
          Fit
        </Button>
        <span className="preview-facts" role="status">
          {natural && `${formatNumber(natural.width)} × ${formatNumber(natural.height)} · `}
          {formatSize(size)}
          {zoom !== null && ` · ${formatNumber(zoom * 100)}%`}
        </span>
      </div>
      <div
        className="preview-image"
        data-fit={zoom === null}
        tabIndex={0}
        role="region"
        aria-label={`Image ${name}`}
        onWheel={(event) => {
          if (event.ctrlKey) setZoom(stepped(zoom ?? 1, event.deltaY < 0 ? 1 : -1))
        }}
      >
        <img
          src={source}
          alt={name}
          draggable={false}
          style={{ width }}
          onError={() => setBroken(source)}
          onLoad={({ currentTarget }) =>
            setNatural({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
          }
        />
      </div>
    </div>
  )
}
