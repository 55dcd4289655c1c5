import { expect, it } from 'vitest'
import { applyTextChanges, type TextChange } from '../../../../shared/editor/textChanges.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { createBufferMirror } from './bufferMirror.ts'

interface Sent {
  name: string
  base?: number
  version: number
  text?: string | null
  changes?: TextChange[]
  length?: number
}

/** A tab whose text is `text`, and a main that answers `buffers.edit` with `applied`. */
function mirrorOf(text: string) {
  const sent: Sent[] = []
  const state = { text, applied: true, connected: true }
  const request = (async (name: string, params: Omit<Sent, 'name'>) => {
    sent.push({ name, ...params })
    if (!state.connected) throw new Error('disconnected')
    return name === 'buffers.edit' ? state.applied : undefined
  }) as unknown as Bridge['request']
  const mirror = createBufferMirror(request, {
    stateOf: () => ({ open: true, dirty: true, text: state.text }),
    lengthOf: () => state.text.length,
  })
  return {
    mirror,
    sent,
    state,
    type(offset: number, typed: string) {
      const changes = [{ offset, length: 0, text: typed }]
      state.text = applyTextChanges(state.text, changes) ?? ''
      mirror.record('a.ts', changes)
      mirror.sendLater('a.ts', 60_000)
    },
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

it('sends the full text once, then only changes', async () => {
  const { mirror, sent, type } = mirrorOf('one')
  mirror.sendNow('a.ts')
  type(3, '!')
  type(4, '?')
  mirror.flush()
  type(0, '>')
  mirror.flush()
  await settled()
  expect(sent.map(({ name, text, changes, length }) => ({ name, text, changes, length }))).toEqual([
    { name: 'buffers.sync', text: 'one' },
    {
      name: 'buffers.edit',
      changes: [
        { offset: 3, length: 0, text: '!' },
        { offset: 4, length: 0, text: '?' },
      ],
      length: 5,
    },
    { name: 'buffers.edit', changes: [{ offset: 0, length: 0, text: '>' }], length: 6 },
  ])
  expect(sent[1]?.base).toBe(sent[0]?.version)
  expect(sent[2]?.base).toBe(sent[1]?.version)
})

it('sends the full text once if main rejects several pending changes', async () => {
  const { mirror, sent, state, type } = mirrorOf('one')
  mirror.sendNow('a.ts')
  state.applied = false
  type(3, '!')
  mirror.flush()
  type(4, '?')
  mirror.flush()
  await settled()
  expect(sent.map(({ name }) => name)).toEqual(['buffers.sync', 'buffers.edit', 'buffers.edit', 'buffers.sync'])
  expect(sent.at(-1)?.text).toBe('one!?')
})

it('sends the full text after a replacement of the whole text and after a lost connection', async () => {
  const { mirror, sent, state, type } = mirrorOf('one')
  mirror.sendNow('a.ts')
  mirror.record('a.ts', null)
  type(3, '!')
  mirror.flush()
  expect(sent.at(-1)).toMatchObject({ name: 'buffers.sync', text: 'one!' })
  state.connected = false
  type(4, '?')
  mirror.flush()
  await settled()
  state.connected = true
  type(5, '.')
  mirror.flush()
  expect(sent.at(-1)).toMatchObject({ name: 'buffers.sync', text: 'one!?.' })
})

it('sends the full text instead of thousands of changes', () => {
  const { mirror, sent, type } = mirrorOf('')
  mirror.sendNow('a.ts')
  for (let index = 0; index < 3000; index++) type(index, 'x')
  mirror.flush()
  expect(sent.map(({ name }) => name)).toEqual(['buffers.sync', 'buffers.sync'])
})
