import type { CDPSession, Page } from 'playwright-core'
import { Delayer } from '../../shared/async/delayer.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import type { PreviewDisplay, PreviewFrame } from '../../shared/preview/preview.ts'

/** Pictures of a page, while somebody looks at it. */
export interface Screencast {
  /** Waits for a frame newer than `after`. Null if the page does not change for a while, or is hidden. */
  next(after: number, display: PreviewDisplay): Promise<PreviewFrame | null>
  /** Gives the page another size or color scheme. */
  adjust(display: PreviewDisplay): Promise<void>
  /** Stops the recording, and ends waiting calls. */
  hide(): Promise<void>
  /** Ends waiting calls of a page that is gone. */
  end(): void
}

/** Milliseconds that a call waits for a frame. */
const waitMs = 15_000
/** Milliseconds after the start of a recording, or after a page has loaded, in which Chromium should send a frame. */
const frameMs = 700
/** Milliseconds after the last call in which the recording stops: the window may have gone without a word. */
const idleMs = 3000
const quality = 80

/** @param isNative whether a view of the window shows the page too, in the size and resolution of the screen */
export function createScreencast(page: Page, session: CDPSession, isNative: boolean): Screencast {
  const changes = new Sequencer()
  let latest: PreviewFrame | null = null
  let shown: PreviewDisplay | undefined
  let recording = false
  let waiting = 0
  let isEnded = false
  let awake = Promise.withResolvers<void>()
  const idle = new Delayer(() => {
    if (waiting === 0) void hide()
  }, idleMs)

  const missing = new Delayer(() => void takePicture(), frameMs)

  const wake = (): void => {
    awake.resolve()
    awake = Promise.withResolvers()
  }

  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    // At once: Chromium drops what changes while frames are unacknowledged, the last change included.
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
    show(data)
  })
  page.on('load', () => {
    if (recording) missing.restart()
  })

  function show(data: string): void {
    missing.cancel()
    // One that the window did not take is dropped.
    latest = { number: ++lastNumber, data }
    wake()
  }

  /** Chromium sometimes sends no frame of a page that does not change, when a recording starts or the page navigates. */
  async function takePicture(): Promise<void> {
    const before = latest
    const picture = await session.send('Page.captureScreenshot', { format: 'jpeg', quality }).catch(() => undefined)
    if (picture && recording && latest === before) show(picture.data)
  }

  const hide = (): Promise<void> =>
    changes.queue(async () => {
      idle.cancel()
      missing.cancel()
      wake()
      if (!recording) return
      recording = false
      await session.send('Page.stopScreencast').catch(() => undefined)
    })

  async function adjust(display: PreviewDisplay): Promise<void> {
    if (shown !== undefined && isSame(shown, display)) return
    const { width, height, mobile, colorScheme, zoom } = display
    // Playwright takes the size of screenshots from it, but knows no phones.
    await page.setViewportSize({ width, height })
    const metrics = isNative ? { deviceScaleFactor: 0, scale: zoom } : { deviceScaleFactor: 1 }
    await session.send('Emulation.setDeviceMetricsOverride', { width, height, mobile, ...metrics })
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: mobile })
    await page.emulateMedia({ colorScheme })
    shown = display
  }

  async function record(display: PreviewDisplay): Promise<void> {
    if (recording && shown !== undefined && isSame(shown, display)) return
    if (recording) await session.send('Page.stopScreencast')
    // Frames of another size.
    latest = null
    await adjust(display)
    const { width, height } = display
    await session.send('Page.startScreencast', {
      format: 'jpeg',
      quality,
      maxWidth: width,
      maxHeight: height,
      // Every frame: the last change would be left out otherwise.
      everyNthFrame: 1,
    })
    recording = true
    missing.restart()
  }

  return {
    async next(after, display) {
      waiting += 1
      idle.cancel()
      try {
        await changes.queue(() => record(display))
        if ((latest?.number ?? 0) <= after) await raceTimeout(awake.promise, waitMs)
        return latest !== null && latest.number > after ? latest : null
      } finally {
        waiting -= 1
        if (!isEnded) idle.restart()
      }
    },
    adjust: (display) => changes.queue(() => adjust(display)),
    hide,
    end() {
      isEnded = true
      recording = false
      idle.cancel()
      missing.cancel()
      wake()
    },
  }
}

/** Frames of all pages are numbered together, because a window may ask for the next one of an earlier page. */
let lastNumber = 0

const isSame = (one: PreviewDisplay, other: PreviewDisplay): boolean =>
  one.width === other.width &&
  one.height === other.height &&
  one.mobile === other.mobile &&
  one.zoom === other.zoom &&
  one.colorScheme === other.colorScheme
