import { describe, expect, it } from 'vitest'
import { Sequencer, SequencerByKey } from './sequencer.ts'

/** A task that records when it starts and ends, and ends when the test decides. */
function controlledTask(order: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const run = async () => {
    order.push(`${name} starts`)
    try {
      return await promise
    } finally {
      order.push(`${name} ends`)
    }
  }
  return { run, finish: () => resolve(name), fail: () => reject(new Error(`${name} failed`)) }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

describe('Sequencer', () => {
  it('starts a task when the one queued before it has ended', async () => {
    const order: string[] = []
    const sequencer = new Sequencer()
    const first = controlledTask(order, 'first')
    const second = controlledTask(order, 'second')
    const results = Promise.all([sequencer.queue(first.run), sequencer.queue(second.run)])

    second.finish()
    await settle()
    expect(order).toEqual(['first starts'])
    first.finish()

    expect(await results).toEqual(['first', 'second'])
    expect(order).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
  })

  it('rejects the promise of a failed task and runs the next one', async () => {
    const order: string[] = []
    const sequencer = new Sequencer()
    const first = controlledTask(order, 'first')
    const failure = expect(sequencer.queue(first.run)).rejects.toThrow('first failed')
    const next = sequencer.queue(async () => 'second')
    first.fail()

    await failure
    expect(await next).toBe('second')
  })

  it('rejects the promise of a task that throws before its first await', async () => {
    const sequencer = new Sequencer()
    const failure = sequencer.queue(() => {
      throw new Error('synchronous')
    })
    await expect(failure).rejects.toThrow('synchronous')
    expect(await sequencer.queue(async () => 'next')).toBe('next')
  })
})

describe('SequencerByKey', () => {
  it('runs the tasks of one key in order and those of other keys at the same time', async () => {
    const order: string[] = []
    const sequencer = new SequencerByKey<string>()
    const first = controlledTask(order, 'a1')
    const second = controlledTask(order, 'a2')
    const other = controlledTask(order, 'b1')
    const results = Promise.all([
      sequencer.queue('a', first.run),
      sequencer.queue('a', second.run),
      sequencer.queue('b', other.run),
    ])
    second.finish()
    other.finish()
    await settle()
    expect(order).toEqual(['a1 starts', 'b1 starts', 'b1 ends'])
    first.finish()

    expect(await results).toEqual(['a1', 'a2', 'b1'])
    expect(order.slice(3)).toEqual(['a1 ends', 'a2 starts', 'a2 ends'])
  })

  it('runs the next task of a key after a failure', async () => {
    const sequencer = new SequencerByKey<string>()
    const failure = expect(sequencer.queue('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await sequencer.queue('a', async () => 'next')).toBe('next')
    await failure
  })

  it('forgets a key when its last task has ended, and not before', async () => {
    const order: string[] = []
    const sequencer = new SequencerByKey<string>()
    const first = controlledTask(order, 'first')
    const second = controlledTask(order, 'second')
    const firstEnded = sequencer.queue('a', first.run).catch(() => 'failed')
    const secondEnded = sequencer.queue('a', second.run)
    expect(sequencer.size).toBe(1)

    first.fail()
    expect(await firstEnded).toBe('failed')
    expect(sequencer.size).toBe(1)
    second.finish()
    await secondEnded
    expect(sequencer.size).toBe(0)
  })
})
