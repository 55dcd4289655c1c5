import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testSeed } from '../../testing/longForm.ts'
import { frameKinds, type Frame } from './frames.ts'
import { createReliableChannel, type FrameLine, type ReliableChannel } from './reliableChannel.ts'

/** A line between two channels that carries frames when the test says so, and loses what is under way when it breaks. */
function connect(left: ReliableChannel, right: ReliableChannel) {
  const under: { to: ReliableChannel; frame: Frame }[] = []
  const side = (to: ReliableChannel): FrameLine => ({
    write(parts) {
      const bytes = Buffer.concat(parts)
      const kind = frameKinds[bytes.readUInt8(4)]
      if (kind === undefined) throw new Error('unknown kind')
      under.push({ to, frame: { kind, number: bytes.readUInt32LE(5), payload: bytes.subarray(9) } })
    },
    destroy: () => undefined,
  })
  const lines = { left: side(right), right: side(left) }
  const [ofLeft, ofRight] = [left.position(), right.position()]
  left.attach(lines.left, ofRight)
  right.attach(lines.right, ofLeft)
  return {
    carry(count: number) {
      for (const { to, frame } of under.splice(0, count)) to.accept(frame)
    },
    cut() {
      left.detach(lines.left)
      right.detach(lines.right)
      under.length = 0
    },
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('left', 'right') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('carry'), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut') }) },
)

describe('a channel over lines that break', () => {
  it('delivers each message once and in order, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const got = { left: [] as unknown[], right: [] as unknown[] }
        const left = createReliableChannel({ deliver: (message) => got.left.push(message) })
        const right = createReliableChannel({ deliver: (message) => got.right.push(message) })
        const sent = { left: [] as unknown[], right: [] as unknown[] }
        let line = connect(left, right)
        let next = 0
        for (const each of steps) {
          if (each.do === 'cut') {
            line.cut()
            // Also while there is no line.
            const message = { n: next++ }
            sent.left.push(message)
            left.send(message)
            line = connect(left, right)
          } else if (each.do === 'carry') line.carry('count' in each ? Number(each.count) : 1)
          else {
            const message = { n: next++ }
            if (each.do === 'left') {
              sent.left.push(message)
              left.send(message)
            } else {
              sent.right.push(message)
              right.send(message)
            }
          }
        }
        line.cut()
        connect(left, right).carry(10_000)
        expect(got).toEqual({ left: sent.right, right: sent.left })
      }),
      { seed: testSeed },
    )
  })

  it('keeps a bounded number of bytes, and reports that messages are lost', () => {
    const got: unknown[] = []
    const left = createReliableChannel({ deliver: () => undefined, maxDetached: 1000 })
    const right = createReliableChannel({ deliver: (message) => got.push(message) })
    for (let n = 0; n < 100; n++) left.send({ text: 'x'.repeat(50), n })
    expect(left.hasUnconfirmed()).toBe(true)
    const line = connect(left, right)
    left.send({ after: true })
    line.carry(100)
    expect(got).toEqual([{ after: true }])
  })

  it('reports lost messages also if the lines that would report them die', () => {
    const got: unknown[] = []
    const left = createReliableChannel({ deliver: () => undefined, maxDetached: 1000 })
    const right = createReliableChannel({ deliver: (message) => got.push(message) })
    connect(left, right).cut()
    for (let n = 0; n < 100; n++) left.send({ text: 'x'.repeat(50), n })
    // The other side does not hear of this line.
    const dead: FrameLine = { write: () => undefined, destroy: () => undefined }
    left.attach(dead, right.position())
    left.send({ after: 1 })
    left.detach(dead)
    left.send({ after: 2 })
    const ended: string[] = []
    const line: FrameLine = { write: () => undefined, destroy: () => void ended.push('line') }
    expect(right.attach(line, left.position())).toBe(true)
    right.detach(line)
    connect(left, right).carry(100)
    expect(got).toEqual([{ after: 1 }, { after: 2 }])
    expect(ended).toEqual([])
    // Without a loss there is no gap.
    expect(right.attach(line, left.position())).toBe(false)
  })

  it('ends a line that skips a message', () => {
    const ended: string[] = []
    const channel = createReliableChannel({ deliver: () => undefined })
    channel.attach({ write: () => undefined, destroy: () => void ended.push('line') }, { received: 0, first: 1 })
    channel.accept({ kind: 'text', number: 2, payload: Buffer.from('{}') })
    expect(ended).toEqual(['line'])
    expect(channel.position().received).toBe(0)
  })
})
