import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { afterPaint } from './afterPaint.ts'

const frames: (() => void)[] = []
beforeEach(() => {
  vi.useFakeTimers()
  frames.length = 0
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback))
  vi.stubGlobal('cancelAnimationFrame', (id: number) => {
    frames[id - 1] = () => {}
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const nextFrame = () => frames.splice(0).forEach((callback) => callback())

it('runs once for all calls before a frame, and not before that frame is painted', () => {
  const action = vi.fn()
  const later = afterPaint(action)
  later.schedule()
  later.schedule()
  nextFrame()
  expect(action).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(action).toHaveBeenCalledTimes(1)
  later.schedule()
  nextFrame()
  vi.runAllTimers()
  expect(action).toHaveBeenCalledTimes(2)
})

it('does not run after it is cancelled', () => {
  const action = vi.fn()
  const later = afterPaint(action)
  later.schedule()
  later.cancel()
  nextFrame()
  later.schedule()
  nextFrame()
  later.cancel()
  vi.runAllTimers()
  expect(action).not.toHaveBeenCalled()
})

it('waits between two runs, and runs after the last call of a series', () => {
  const action = vi.fn()
  const later = afterPaint(action, 200)
  later.schedule()
  nextFrame()
  vi.advanceTimersByTime(0)
  expect(action).toHaveBeenCalledTimes(1)
  for (let key = 0; key < 3; key++) {
    later.schedule()
    nextFrame()
    vi.advanceTimersByTime(50)
  }
  expect(action).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(50)
  expect(action).toHaveBeenCalledTimes(2)
})
