import { useEffect, useRef, type KeyboardEvent, type RefObject } from 'react'
import type { ElementAttachment } from '../../shared/agent/attachments.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import {
  describePicked,
  pickedLabel,
  type PreviewBox,
  type PreviewPoint,
  type PreviewStep,
} from '../../shared/preview/preview.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt, notify } from '../platform/notices.ts'
import { toBase64 } from '../platform/files/base64.ts'
import { stopPicking, usePreview } from './previewStore.ts'

const steps: Readonly<Record<string, PreviewStep>> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
}

const targets = new Throttler()
const pointAt = (at: PreviewPoint | PreviewStep): Promise<void> =>
  targets.queue(async () => {
    const target = await request('preview.target', { at }).catch(() => null)
    if (usePreview.getState().picking) usePreview.setState({ target })
  })

const pictureMargin = 12
/** Maximum sides of the picture of an element. */
const maxPicture = { width: 800, height: 600 }

/** The picture of the page, and the width of the page: a view that is drawn smaller has a smaller picture. */
interface Picture {
  canvas: RefObject<HTMLCanvasElement | null>
  pageWidth: number
}

/** Cuts an element out of the picture of the page. Null if it is not visible. */
async function pictureOf({ canvas: { current: canvas }, pageWidth }: Picture, box: PreviewBox): Promise<Blob | null> {
  if (!canvas) return null
  const scale = canvas.width / pageWidth
  const [left, right] = [box.x * scale, (box.x + box.width) * scale]
  const [top, bottom] = [box.y * scale, (box.y + box.height) * scale]
  const x = Math.max(0, Math.floor(left - pictureMargin))
  const y = Math.max(0, Math.floor(top - pictureMargin))
  const width = Math.min(maxPicture.width, canvas.width - x, Math.ceil(right + pictureMargin - x))
  const height = Math.min(maxPicture.height, canvas.height - y, Math.ceil(bottom + pictureMargin - y))
  if (width < 1 || height < 1) return null
  const part = new OffscreenCanvas(width, height)
  part.getContext('2d')?.drawImage(canvas, x, y, width, height, 0, 0, width, height)
  return part.convertToBlob({ type: 'image/png' })
}

/** Attaches the element that was pointed at to the message that the user writes. */
async function pick(page: Picture, goOn: boolean): Promise<void> {
  const element = await request('preview.pick', {})
  if (!element) return notify('info', 'The element is gone.', { detail: 'Point at it again.' })
  const label = pickedLabel(element)
  const { source } = element
  const picture = await pictureOf(page, element.box)
  const stored =
    picture && (await request('images.add', { label: `${label.slice(0, 190)}.png`, data: await toBase64(picture) }))
  runCommand('chat.addElement', {
    id: crypto.randomUUID(),
    label: label.slice(0, 300),
    ...(source?.path && { path: source.path }),
    ...(source?.path && source.line !== null && source.sure && { line: source.line }),
    ...(source?.path && !source.sure && { guess: true }),
    text: describePicked(element),
    note: '',
    ...(stored && { picture: stored }),
  } satisfies ElementAttachment)
  if (source?.tooLarge === true)
    notify('info', 'The line of the element was not found.', {
      detail: 'The script or its source map has more than 5 MB. The model searches for the text of the element.',
    })
  if (!goOn) stopPicking()
  return undefined
}

/** Covers the page while the user picks an element: the mouse or the arrow keys point at one. */
export function PickLayer({ zoom, ...picture }: Picture & { zoom: number }) {
  const layer = useRef<HTMLDivElement>(null)
  const target = usePreview((state) => state.target)
  useEffect(() => layer.current?.focus({ preventScroll: true }), [])
  useEffect(() => stopPicking, [])

  function onKeyDown(event: KeyboardEvent): void {
    const step = steps[event.key]
    if (step) void pointAt(step)
    else if (event.key === 'Enter' && target)
      attempt(() => pick(picture, event.shiftKey), 'The element could not be picked')
    else if (event.key === 'Escape') stopPicking()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <>
      <div
        ref={layer}
        className="web-preview-picker"
        role="application"
        aria-label="Pick an element"
        aria-describedby="web-preview-pick-keys"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseMove={({ clientX, clientY, currentTarget }) => {
          const { left, top } = currentTarget.getBoundingClientRect()
          void pointAt({ x: (clientX - left) / zoom, y: (clientY - top) / zoom })
        }}
        onClick={(event) => {
          const { shiftKey } = event
          // The target of the last move.
          attempt(async () => {
            await targets.running
            await pick(picture, shiftKey)
          }, 'The element could not be picked')
        }}
      />
      {target && (
        <div
          className="web-preview-target"
          data-below={target.box.y * zoom < 24}
          style={{
            left: target.box.x * zoom,
            top: target.box.y * zoom,
            width: target.box.width * zoom,
            height: target.box.height * zoom,
          }}
        >
          <span className="web-preview-target-name">
            {target.name} {Math.round(target.box.width)} × {Math.round(target.box.height)}
          </span>
        </div>
      )}
      <p className="web-preview-pick-hint" id="web-preview-pick-keys">
        Click an element, or move with the arrow keys and press Enter. With Shift, pick several. Escape ends.
      </p>
      <span className="visually-hidden" role="status">
        {target?.name}
      </span>
    </>
  )
}
