import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Delayer } from './delayer.ts'
import { Latest } from './latest.ts'
import { raceTimeout } from './raceTimeout.ts'
import { Throttler } from './throttler.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('Delayer', () => {
  it('runs once for all starts, at the time of the first', () => {
    const task = vi.fn()
    const delayer = new Delayer(task, 100)
    delayer.start()
    vi.advanceTimersByTime(60)
    delayer.start()
    vi.advanceTimersByTime(40)
    expect(task).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1000)
    expect(task).toHaveBeenCalledTimes(1)
    delayer.start()
    vi.advanceTimersByTime(100)
    expect(task).toHaveBeenCalledTimes(2)
  })

  it('waits for a pause between restarts', () => {
    const task = vi.fn()
    const delayer = new Delayer(task, 100)
    delayer.restart()
    vi.advanceTimersByTime(60)
    delayer.restart()
    vi.advanceTimersByTime(99)
    expect(task).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(task).toHaveBeenCalledTimes(1)
  })

  it('uses the delay of a call instead of its own', () => {
    const task = vi.fn()
    const delayer = new Delayer(task, 100)
    delayer.restart(10)
    vi.advanceTimersByTime(10)
    expect(task).toHaveBeenCalledTimes(1)
  })

  it('does not run after it was cancelled, and can start again', () => {
    const task = vi.fn()
    const delayer = new Delayer(task, 100)
    delayer.start()
    expect(delayer.isWaiting).toBe(true)
    delayer.cancel()
    expect(delayer.isWaiting).toBe(false)
    vi.advanceTimersByTime(1000)
    expect(task).not.toHaveBeenCalled()
    delayer.start()
    vi.advanceTimersByTime(100)
    expect(task).toHaveBeenCalledTimes(1)
  })

  it('can be started by its own task', () => {
    let runs = 0
    const delayer: Delayer = new Delayer(() => {
      runs += 1
      if (runs < 3) delayer.start()
    }, 100)
    delayer.start()
    vi.advanceTimersByTime(1000)
    expect(runs).toBe(3)
  })
})

describe('Throttler', () => {
  it('runs the newest of the tasks that came while one ran', async () => {
    const throttler = new Throttler<string>()
    const first = Promise.withResolvers<string>()
    const skipped = vi.fn(async () => 'second')
    const results = Promise.all([
      throttler.queue(() => first.promise),
      throttler.queue(skipped),
      throttler.queue(async () => 'third'),
    ])
    first.resolve('first')
    expect(await results).toEqual(['first', 'third', 'third'])
    expect(skipped).not.toHaveBeenCalled()
  })

  it('starts a task at once if none runs, also after a failure', async () => {
    const throttler = new Throttler<string>()
    await expect(throttler.queue(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    const task = vi.fn(async () => 'next')
    const result = throttler.queue(task)
    expect(task).toHaveBeenCalledTimes(1)
    expect(await result).toBe('next')
  })

  it('runs the waiting task after a failure', async () => {
    const throttler = new Throttler<string>()
    const failure = expect(throttler.queue(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await throttler.queue(async () => 'next')).toBe('next')
    await failure
    expect(throttler.running).toBeUndefined()
  })

  it('never runs two tasks at a time', async () => {
    const throttler = new Throttler()
    let running = 0
    let most = 0
    const task = async () => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
    }
    const one = throttler.queue(task)
    const two = throttler.queue(task)
    const three = one.then(() => throttler.queue(task))
    await Promise.all([one, two, three, throttler.queue(task)])
    expect(most).toBe(1)
  })
})

describe('Latest', () => {
  it('makes earlier runs outdated', () => {
    const latest = new Latest()
    const isFirstLatest = latest.begin()
    expect(isFirstLatest()).toBe(true)
    const isSecondLatest = latest.begin()
    const isJoinedLatest = latest.join()
    expect([isFirstLatest(), isSecondLatest(), isJoinedLatest()]).toEqual([false, true, true])
    latest.begin()
    expect([isSecondLatest(), isJoinedLatest()]).toEqual([false, false])
  })
})

describe('raceTimeout', () => {
  it('returns the result and leaves no timer', async () => {
    expect(await raceTimeout(Promise.resolve('result'), 100, 'late')).toBe('result')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('returns the late value after the time', async () => {
    const never = new Promise<string>(() => undefined)
    const result = raceTimeout(never, 100, 'late')
    await vi.advanceTimersByTimeAsync(100)
    expect(await result).toBe('late')
  })

  it('rejects if the promise rejects in time', async () => {
    await expect(raceTimeout(Promise.reject(new Error('failed')), 100)).rejects.toThrow('failed')
    expect(vi.getTimerCount()).toBe(0)
  })
})
