import { describe, expect, it } from 'vitest'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import { modelItems } from './pickers.ts'

const endpoint = (id: string, more: Partial<EndpointStatus>): EndpointStatus => ({
  endpoint: { id, name: id.toUpperCase(), kind: 'openai', baseUrl: `http://127.0.0.1/${id}`, hasKey: false },
  reachable: true,
  discovered: false,
  models: [],
  ...more,
})

describe('the list of models', () => {
  it('has one row per model with its details', () => {
    const items = modelItems(
      [endpoint('a', { models: [{ id: 'm', contextWindow: 32768, loaded: true, tools: false, vision: true }] })],
      {
        endpointId: 'a',
        model: 'm',
      },
    )
    expect(items).toMatchObject([
      {
        label: 'm',
        current: true,
        detail: 'Loaded · 32k context · calls as text · supports images',
        heading: 'A · http://127.0.0.1/a',
      },
    ])
  })

  it('has a disabled row that describes the problem of an endpoint', () => {
    const items = modelItems(
      [endpoint('b', { reachable: false, problem: 'Nothing answers there. Start it.' }), endpoint('c', {})],
      undefined,
    )
    expect(items).toMatchObject([
      { disabled: true, description: 'Nothing answers there. Start it.' },
      { disabled: true, description: 'The server has no models.' },
    ])
  })

  it('distinguishes equal model names of two endpoints', () => {
    const models = [{ id: 'same' }]
    const items = modelItems([endpoint('a', { models }), endpoint('b', { models })], { endpointId: 'b', model: 'same' })
    expect(new Set(items.map(({ id }) => id)).size).toBe(2)
    expect(items.map(({ current }) => current)).toEqual([false, true])
  })
})
