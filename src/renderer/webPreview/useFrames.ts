import { useEffect, type RefObject } from 'react'
import type { PreviewDisplay, PreviewFrame } from '../../shared/preview/preview.ts'
import { request } from '../platform/bridge/bridge.ts'
import { bytesOf } from './previewStore.ts'

/** Milliseconds until the next try after a failure, for example while the page restarts. */
const retryMs = 500

/**
 * Draws the frames of the page on a canvas while the tab is visible. Asks for one frame at a time, so that a window that
 * is behind skips frames.
 * @param display null: nothing to show
 * @param onFrame called after each frame
 */
export function useFrames(
  canvas: RefObject<HTMLCanvasElement | null>,
  display: PreviewDisplay | null,
  onFrame: () => void,
): void {
  useEffect(() => {
    if (display === null) return undefined
    let stop: (() => void) | null = null
    const follow = (): void => {
      stop?.()
      stop = document.hidden
        ? null
        : followFrames(display, async (frame) => {
            await draw(frame, canvas.current)
            onFrame()
          })
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      stop?.()
    }
  }, [canvas, display, onFrame])
}

/** @returns a function that stops it */
function followFrames(display: PreviewDisplay, onFrame: (frame: PreviewFrame) => Promise<void>): () => void {
  let stopped = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let after = 0
  const next = async (): Promise<void> => {
    try {
      const frame = await request('preview.frame', { after, display })
      if (stopped) return
      if (frame) {
        after = frame.number
        await onFrame(frame)
      }
      if (!stopped) void next()
    } catch {
      if (!stopped) retry = setTimeout(next, retryMs)
    }
  }
  void next()
  return () => {
    stopped = true
    clearTimeout(retry)
    // The next display asks again.
    request('preview.hide', {}).catch(() => undefined)
  }
}

async function draw({ data }: PreviewFrame, canvas: HTMLCanvasElement | null): Promise<void> {
  const picture = await createImageBitmap(new Blob([bytesOf(data)], { type: 'image/jpeg' }))
  if (canvas) {
    canvas.width = picture.width
    canvas.height = picture.height
    canvas.getContext('2d')?.drawImage(picture, 0, 0)
  }
  picture.close()
}
