import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CDPSession, Page } from 'playwright-core'
import type { PreviewDisplay } from '../../shared/preview/preview.ts'
import { createScreencast, type Screencast } from './screencast.ts'

// A Chromium that sends frames only when the test does.

const display: PreviewDisplay = { width: 640, height: 480, mobile: false, colorScheme: 'light', zoom: 0.5 }

let session: EventEmitter & { send: ReturnType<typeof vi.fn> }
let page: EventEmitter & { setViewportSize: ReturnType<typeof vi.fn>; emulateMedia: ReturnType<typeof vi.fn> }
let screencast: Screencast

function create(isNative: boolean): void {
  session = Object.assign(new EventEmitter(), {
    send: vi.fn(async (method: string) => (method === 'Page.captureScreenshot' ? { data: 'picture' } : {})),
  })
  page = Object.assign(new EventEmitter(), { setViewportSize: vi.fn(), emulateMedia: vi.fn() })
  // The members that are used.
  screencast = createScreencast(page as unknown as Page, session as unknown as CDPSession, isNative)
}
const sendFrame = (data: string) => session.emit('Page.screencastFrame', { data, sessionId: 1 })
const sent = (method: string) => session.send.mock.calls.filter(([name]) => name === method).map(([, params]) => params)

beforeEach(() => {
  vi.useFakeTimers()
  create(false)
})
afterEach(() => {
  screencast.end()
  vi.useRealTimers()
})

test('a recording for which Chromium sends no frame has a picture, so that the tab does not stay white', async () => {
  const first = screencast.next(0, display)
  await vi.advanceTimersByTimeAsync(2000)
  expect(await first).toMatchObject({ data: 'picture' })
})

test('a document whose frames Chromium has lost has a picture', async () => {
  const first = screencast.next(0, display)
  await vi.advanceTimersByTimeAsync(0)
  sendFrame('blank')
  const { number = 0 } = (await first) ?? {}
  const second = screencast.next(number, display)
  page.emit('load')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await second).toMatchObject({ data: 'picture' })
})

test('no picture is taken if frames arrive, or if nobody looks', async () => {
  const first = screencast.next(0, display)
  await vi.advanceTimersByTimeAsync(0)
  sendFrame('frame')
  expect(await first).toMatchObject({ data: 'frame' })
  await screencast.hide()
  page.emit('load')
  await vi.advanceTimersByTimeAsync(5000)
  expect(sent('Page.captureScreenshot')).toEqual([])
})

test('a page in a view has the size of its tab and the resolution of the screen', async () => {
  create(true)
  await screencast.adjust(display)
  expect(sent('Emulation.setDeviceMetricsOverride')).toEqual([
    { width: 640, height: 480, mobile: false, deviceScaleFactor: 0, scale: 0.5 },
  ])
  await screencast.adjust({ ...display })
  expect(sent('Emulation.setDeviceMetricsOverride')).toHaveLength(1)
  await screencast.adjust({ ...display, zoom: 1 })
  expect(sent('Emulation.setDeviceMetricsOverride')).toHaveLength(2)
})
