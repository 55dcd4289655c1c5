import { EventEmitter } from 'node:events'
import type { WebContentsViewConstructorOptions } from 'electron'
import { beforeEach, expect, it, vi } from 'vitest'
import type { WindowLink } from '../../core.ts'
import type { DesktopWindow } from './desktopWindow.ts'
import { createPageViews } from './pageViews.ts'

/** The session of a partition. */
class FakeSession extends EventEmitter {
  readonly setPermissionRequestHandler = vi.fn()
  readonly setPermissionCheckHandler = vi.fn()
  readonly setDevicePermissionHandler = vi.fn()
  readonly setProxy = vi.fn(async () => undefined)
  readonly closeAllConnections = vi.fn(async () => undefined)
  readonly clearStorageData = vi.fn(async () => undefined)
  readonly clearCache = vi.fn(async () => undefined)
  readonly clearCodeCaches = vi.fn(async () => undefined)
  readonly clearAuthCache = vi.fn(async () => undefined)
  readonly clearHostResolverCache = vi.fn(async () => undefined)
}

class FakeContents extends EventEmitter {
  #isDestroyed = false
  readonly debugger = Object.assign(new EventEmitter(), {
    attach: () => undefined,
    detach: () => undefined,
    isAttached: () => false,
  })
  readonly getUserAgent = () => 'Mozilla Chrome/1'
  readonly setUserAgent = () => undefined
  readonly setAudioMuted = () => undefined
  readonly setWindowOpenHandler = () => undefined
  readonly loadURL = async () => undefined
  readonly focus = vi.fn()
  readonly isFocused = () => false
  readonly isDestroyed = () => this.#isDestroyed
  close(): void {
    this.#isDestroyed = true
    this.emit('destroyed')
  }
}

class FakeView {
  static last: FakeView
  readonly webContents = new FakeContents()
  readonly setVisible = vi.fn()
  readonly setBounds = vi.fn()
  readonly setBackgroundColor = vi.fn()
  readonly getVisible = () => true
  constructor(_options: WebContentsViewConstructorOptions) {
    FakeView.last = this
  }
}

class FakeBrowserWindow extends EventEmitter {
  readonly contentView = { addChildView: vi.fn(), removeChildView: vi.fn() }
  readonly webContents = Object.assign(new EventEmitter(), { focus: vi.fn(), getZoomFactor: () => 1 })
  isDestroyed = () => false
}

let sessions: Map<string, FakeSession>
let partitions: string[]
let browserWindow: FakeBrowserWindow
let link: { emit: ReturnType<typeof vi.fn> } | null
let current: DesktopWindow | null

beforeEach(() => {
  partitions = []
  sessions = new Map()
  browserWindow = new FakeBrowserWindow()
  link = null
  // The members that views use.
  current = { browserWindow, link: () => link as WindowLink | null } as unknown as DesktopWindow
})

const modules = {
  WebContentsView: FakeView,
  session: {
    fromPartition(name: string) {
      partitions.push(name)
      const own = sessions.get(name) ?? new FakeSession()
      sessions.set(name, own)
      return own
    },
  },
} as unknown as Parameters<typeof createPageViews>[0]

const views = createPageViews(modules, {
  window: { current: () => current },
  shortcuts: () => new Set(['Ctrl+P']),
})
const open = () => views.open(1, { onUsed: () => undefined, onWindow: () => undefined })

it('the next view gets the partition of an ended one only if that could be emptied', async () => {
  await (await open()).end()
  const host = await open()
  expect(partitions[1]).toBe(partitions[0])
  sessions.get(partitions[0] ?? '')?.clearCache.mockRejectedValueOnce(new Error('The disk is full.'))
  await host.end()
  await (await open()).end()
  expect(partitions[2]).not.toBe(partitions[0])
})

it('a view ends with its window, and without a window there are none', async () => {
  const { ended } = await open()
  expect(views.isAvailable()).toBe(true)
  expect(browserWindow.contentView.addChildView).toHaveBeenCalledWith(FakeView.last)
  current = null
  browserWindow.isDestroyed = () => true
  browserWindow.emit('closed')
  await ended
  expect(FakeView.last.webContents.isDestroyed()).toBe(true)
  expect(browserWindow.contentView.removeChildView).not.toHaveBeenCalled()
  expect(views.isAvailable()).toBe(false)
  await expect(open()).rejects.toThrow('There is no window for the page.')
})

it('a shortcut reaches the window, but not a later document of a window that is being loaded', async () => {
  const host = await open()
  const preventDefault = vi.fn()
  const press = (): void => {
    const input = { type: 'keyDown', key: 'p', code: 'KeyP', control: true, alt: false, shift: false, meta: false }
    FakeView.last.webContents.emit('before-input-event', { preventDefault }, { ...input, isComposing: false })
  }
  press()
  expect(preventDefault).toHaveBeenCalledOnce()
  link = { emit: vi.fn() }
  expect(link.emit).not.toHaveBeenCalled()
  press()
  expect(link.emit).toHaveBeenCalledExactlyOnceWith('preview.key', expect.objectContaining({ key: 'p' }))
  await host.end()
})
