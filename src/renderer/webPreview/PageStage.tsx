import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { Delayer } from '../../shared/async/delayer.ts'
import type { PreviewDisplay, PreviewInput, PreviewPoint } from '../../shared/preview/preview.ts'
import { request } from '../platform/bridge/bridge.ts'
import { notifyFailure } from '../platform/notices.ts'
import { keyInput, mouseInput, queueInput, wheelInput } from './inputEvents.ts'
import { PageTree } from './PageTree.tsx'
import { PagePopup } from './PagePopup.tsx'
import { PickLayer } from './PickLayer.tsx'
import { useNativeView, useViewFocus } from './nativeView.ts'
import { deviceSizes, usePreview } from './previewStore.ts'
import { useFrames } from './useFrames.ts'

/** Milliseconds after which a resized tab resizes the page. */
const resizeMs = 120
/** Space around a device in pixels. */
const deviceMargin = 16

/** The picture of the page, which receives the mouse and the keys. */
export function PageStage() {
  const area = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [frames, setFrames] = useState(0)
  const countFrame = useCallback(() => setFrames((before) => before + 1), [])
  const [reading, setReading] = useState(false)
  const url = usePreview(({ page }) => page.url)
  const isNative = usePreview(({ page }) => page.native)
  const layout = useStageLayout(area)
  const picking = usePreview((state) => state.picking)
  const isBusy = usePreview((state) => state.picking || state.popup !== null || state.page.dialog !== null)
  const display = url === null ? null : (layout?.display ?? null)
  const needsPictures = useNativeView({ stage, display, isNative, isBusy, frames })
  // What the page contains is read again with each picture.
  useFrames(canvas, needsPictures || reading ? display : null, countFrame)
  return (
    <div ref={area} className="web-preview-area">
      {layout && (
        <div
          ref={stage}
          className="web-preview-stage"
          data-native={isNative}
          data-device={layout.isDevice}
          style={{ width: layout.display.width * layout.zoom, height: layout.display.height * layout.zoom }}
        >
          <canvas ref={canvas} className="web-preview-canvas" data-frames={frames} aria-hidden="true" />
          <PageInput zoom={layout.zoom} isNative={isNative} />
          {picking && <PickLayer zoom={layout.zoom} pageWidth={layout.display.width} canvas={canvas} />}
          <PagePopup zoom={layout.zoom} />
        </div>
      )}
      <PageTree frames={frames} reading={reading} onToggle={() => setReading((before) => !before)} />
    </div>
  )
}

interface StageLayout {
  display: PreviewDisplay
  zoom: number
  isDevice: boolean
}

/** Returns the size of the page and of its picture. Null until the size of the tab is known. */
function useStageLayout(area: RefObject<HTMLDivElement | null>): StageLayout | null {
  const [size, setSize] = useState<{ width: number; height: number } | null>(null)
  const device = usePreview((state) => state.device)
  const zoom = usePreview((state) => state.zoom)
  const colorScheme = usePreview((state) => state.colorScheme)
  useEffect(() => {
    const element = area.current
    if (!element) return undefined
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element
      // The same size must not start the pictures again.
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }))
    }
    measure()
    const delayer = new Delayer(measure, resizeMs)
    const observer = new ResizeObserver(() => delayer.restart())
    observer.observe(element)
    return () => {
      observer.disconnect()
      delayer.cancel()
    }
  }, [area])
  return useMemo(() => {
    if (!size || size.width < 50 || size.height < 50) return null
    if (device === 'responsive') {
      const scale = zoom === 'fit' ? 1 : zoom
      const side = (pixels: number) => Math.max(50, Math.min(4000, Math.floor(pixels / scale)))
      const display = { width: side(size.width), height: side(size.height), mobile: false, colorScheme, zoom: scale }
      return { display, zoom: scale, isDevice: false }
    }
    const page = deviceSizes[device]
    const room = (side: 'width' | 'height') => (size[side] - 2 * deviceMargin) / page[side]
    const fit = Math.max(0.1, Math.min(1, room('width'), room('height')))
    const scale = zoom === 'fit' ? fit : zoom
    return { display: { ...page, mobile: true, colorScheme, zoom: scale }, zoom: scale, isDevice: true }
  }, [size, device, zoom, colorScheme])
}

/** Sends inputs one request after the other. What happens meanwhile is sent together. */
function createSender() {
  const waiting: PreviewInput[] = []
  let sending = false
  const flush = async (): Promise<void> => {
    sending = true
    try {
      while (waiting.length > 0) {
        const popup = await request('preview.input', { events: waiting.splice(0, 200) })
        if (popup) usePreview.setState({ popup })
      }
    } catch (error) {
      waiting.length = 0
      notifyFailure(error, 'The page could not be used')
    } finally {
      sending = false
    }
  }
  return (input: PreviewInput): void => {
    queueInput(waiting, input)
    if (!sending) void flush()
  }
}

/**
 * Receives the mouse and the keys above the picture. It is a text field, because only those get the text of input
 * methods.
 */
function PageInput({ zoom, isNative }: { zoom: number; isNative: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const zoomNow = useRef(zoom)
  zoomNow.current = zoom
  const [send] = useState(createSender)
  useViewFocus(field, isNative)

  useEffect(() => {
    const element = field.current
    if (!element) return undefined
    return listen(element, send, (event) => {
      const box = element.getBoundingClientRect()
      return { x: (event.clientX - box.left) / zoomNow.current, y: (event.clientY - box.top) / zoomNow.current }
    })
  }, [send])

  return (
    <>
      <textarea
        ref={field}
        className="web-preview-input"
        aria-label="Page"
        aria-describedby="web-preview-keys"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
      />
      <span id="web-preview-keys" className="visually-hidden">
        Keys go to the page. Shift+Escape moves to the toolbar.
      </span>
    </>
  )
}

function listen(
  element: HTMLTextAreaElement,
  send: (input: PreviewInput) => void,
  pointOf: (event: MouseEvent) => PreviewPoint,
): () => void {
  const stop = new AbortController()
  const { signal } = stop
  /** Whether a button is pressed, so that the mouse belongs to the page outside the picture too. */
  let pressed = false
  const onMove = (event: MouseEvent): void => send(mouseInput(event, pointOf(event), 'move'))

  element.addEventListener(
    'mousedown',
    (event) => {
      event.preventDefault()
      element.focus({ preventScroll: true })
      pressed = true
      send(mouseInput(event, pointOf(event), 'down'))
    },
    { signal },
  )
  addEventListener('mousemove', (event) => (pressed || event.target === element) && onMove(event), { signal })
  addEventListener(
    'mouseup',
    (event) => {
      if (!pressed) return
      pressed = event.buttons !== 0
      send(mouseInput(event, pointOf(event), 'up'))
    },
    { signal },
  )
  element.addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      send(wheelInput(event, pointOf(event)))
    },
    { signal, passive: false },
  )
  listenToKeys(element, send, signal)
  return () => stop.abort()
}

function listenToKeys(element: HTMLTextAreaElement, send: (input: PreviewInput) => void, signal: AbortSignal): void {
  const takeText = (): void => {
    if (element.value !== '') send({ kind: 'text', text: element.value.slice(0, 100_000) })
    element.value = ''
  }
  const isForPage = (event: KeyboardEvent): boolean =>
    !event.isComposing && event.key !== 'Process' && event.key !== 'Dead' && event.key !== 'Unidentified'
  element.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape' && event.shiftKey) {
        event.preventDefault()
        document.querySelector<HTMLElement>('.web-preview-address input')?.focus()
        return
      }
      if (!isForPage(event)) return
      const withCommand = event.ctrlKey || event.metaKey
      const letter = event.key.toLowerCase()
      // The window pastes, and sends the text.
      if (withCommand && letter === 'v') return
      event.preventDefault()
      if (withCommand && (letter === 'c' || letter === 'x')) copySelection()
      send(keyInput(event, 'down'))
    },
    { signal },
  )
  element.addEventListener('keyup', (event) => isForPage(event) && send(keyInput(event, 'up')), { signal })
  element.addEventListener('compositionend', takeText, { signal })
  element.addEventListener('input', (event) => !(event instanceof InputEvent && event.isComposing) && takeText(), {
    signal,
  })
}

function copySelection(): void {
  request('preview.selection', {})
    .then((text) => (text === '' ? undefined : navigator.clipboard.writeText(text)))
    .catch((error: unknown) => notifyFailure(error, 'The text could not be copied'))
}
