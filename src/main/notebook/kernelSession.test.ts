import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fakeKernel } from './testing/fakeKernel.ts'

const cell = (key: string, code = key) => ({ key, code, allowsInput: false })

describe('a run', () => {
  it('of a cell that runs already is refused', async () => {
    const { session, codes, reply } = await fakeKernel()
    const first = session.run(cell('a', '1'))
    expect(() => session.run(cell('a', '2'))).toThrow('The cell runs already')
    reply()
    expect(await first).toMatchObject({ outcome: 'ok' })
    void session.run(cell('a', '2'))
    expect(codes()).toEqual(['1', '2'])
  })

  it('that is cancelled while it waits leaves the others alone', async () => {
    const { session, codes, requests, reply } = await fakeKernel()
    const controller = new AbortController()
    const started: string[] = []
    const first = session.run(cell('a'))
    const second = session.run({ ...cell('b'), signal: controller.signal, onStart: () => started.push('b') })
    const third = session.run({ ...cell('c'), onStart: () => started.push('c') })
    controller.abort()
    expect(await second).toMatchObject({ outcome: 'aborted', outputs: [] })
    expect(requests).toEqual([])
    reply()
    expect(await first).toMatchObject({ outcome: 'ok' })
    reply()
    expect(await third).toMatchObject({ outcome: 'ok' })
    expect(codes()).toEqual(['a', 'c'])
    expect(started).toEqual(['c'])
  })

  it('that is cancelled is interrupted, and those behind it run', async () => {
    const { session, codes, requests, reply } = await fakeKernel()
    const controller = new AbortController()
    const first = session.run({ ...cell('a'), signal: controller.signal })
    void session.run(cell('b'))
    controller.abort()
    expect(requests).toEqual(['POST /api/kernels/k/interrupt'])
    reply('error')
    expect(await first).toMatchObject({ outcome: 'aborted' })
    expect(codes()).toEqual(['a', 'b'])
  })

  it('that was cancelled before the kernel was ready does not start', async () => {
    const { session, codes } = await fakeKernel()
    expect(await session.run({ ...cell('a'), signal: AbortSignal.abort() })).toMatchObject({ outcome: 'aborted' })
    expect(codes()).toEqual([])
  })
})

describe('the outputs of a run', () => {
  it('survive data that cannot be written as JSON', async () => {
    const { session, send, reply } = await fakeKernel()
    const result = session.run(cell('a'))
    const deep = `{"data":{"application/json":${'['.repeat(6000)}${']'.repeat(6000)},"text/plain":"x"}}`
    send('display_data', deep)
    reply()
    expect(await result).toMatchObject({ outputs: [{ data: { 'text/plain': 'x' } }] })
  })

  it('go to the window only as far as they are kept', async () => {
    const { session, send, progress, reply } = await fakeKernel()
    const result = session.run(cell('a'))
    for (let index = 0; index < 5; index += 1) {
      send('stream', { name: 'stdout', text: 'x'.repeat(600_000) })
      session.outputs('a')
    }
    expect(progress).toHaveLength(2)
    reply()
    expect((await result).outputs).toHaveLength(2)
  })

  it('may arrive long after the reply, and are said to be missing if the end is', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { session, send } = await fakeKernel()
    const result = session.run(cell('a'))
    send('execute_reply', { status: 'ok', execution_count: 1 })
    for (const text of ['1', '2', '3']) {
      vi.advanceTimersByTime(1500)
      send('stream', { name: 'stdout', text })
    }
    vi.advanceTimersByTime(2100)
    const note = expect.stringContaining('may be missing') as string
    expect((await result).outputs).toMatchObject([{ text: '123' }, { name: 'stderr', text: note }])
  })
})

it('a kernel whose restart fails does not seem to start for ever', async () => {
  const { session, codes } = await fakeKernel(() => Promise.reject(new Error('no response')))
  await expect(session.restart()).rejects.toThrow('no response')
  expect(session.status()).toBe('unresponsive')
  void session.run(cell('a'))
  expect(codes()).toEqual(['a'])
})
