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
  readonly isDestroyed = () => false
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

const open = () =>
  createPageViews(modules, { window: { current: () => current }, shortcuts: () => new Set(['Ctrl+P']) })(1, {
    onUsed: () => undefined,
    onWindow: () => undefined,
  })

it('the next view gets the partition of an ended one only if that could be emptied', async () => {
  await (await open()).end()
  const host = await open()
  expect(partitions[1]).toBe(partitions[0])
  sessions.get(partitions[0] ?? '')?.clearCache.mockRejectedValueOnce(new Error('The disk is full.'))
  await host.end()
  await (await open()).end()
  expect(partitions[2]).not.toBe(partitions[0])
})
