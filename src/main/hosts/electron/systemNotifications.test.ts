import { EventEmitter } from 'node:events'
import { beforeEach, expect, it, vi } from 'vitest'
import type { DesktopWindow } from './desktopWindow.ts'
import { systemNotifications } from './systemNotifications.ts'

class FakeNotification extends EventEmitter {
  static all: FakeNotification[] = []
  static isSupported = () => true
  readonly show = vi.fn()
  readonly close = vi.fn()
  readonly options: { title?: string }
  constructor(options: { title?: string }) {
    super()
    this.options = options
    FakeNotification.all.push(this)
  }
}

const focus = vi.fn()
const onClick = vi.fn()
let focused: boolean

beforeEach(() => {
  FakeNotification.all = []
  focused = false
  vi.clearAllMocks()
})

function notify(): () => void {
  // Implements only the members that are used.
  const window = { browserWindow: { isFocused: () => focused } } as unknown as DesktopWindow
  const notifier = systemNotifications(FakeNotification as never, { current: () => window, show: focus })
  return notifier({ title: 'Approval needed', body: 'npm test', onClick })
}

it('shows a notification while the window is not in front, and none while it is', () => {
  notify()
  expect(FakeNotification.all.map(({ options }) => options)).toEqual([{ title: 'Approval needed', body: 'npm test' }])
  expect(FakeNotification.all[0]?.show).toHaveBeenCalledOnce()
  focused = true
  notify()
  expect(FakeNotification.all).toHaveLength(1)
})

it('a click brings the window to the front and shows the card', () => {
  const remove = notify()
  FakeNotification.all[0]?.emit('click')
  expect(focus).toHaveBeenCalledOnce()
  expect(onClick).toHaveBeenCalledOnce()
  remove()
  expect(FakeNotification.all[0]?.close).not.toHaveBeenCalled()
})

it('is removed once, when the approval is answered elsewhere', () => {
  const remove = notify()
  remove()
  remove()
  expect(FakeNotification.all[0]?.close).toHaveBeenCalledOnce()
})
