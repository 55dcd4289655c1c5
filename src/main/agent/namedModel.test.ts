import { expect, it } from 'vitest'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import { namedModel } from './namedModel.ts'

const near = { endpointId: 'own', model: 'forge' }
const statusOf = (id: string, change: Partial<EndpointStatus> = {}): EndpointStatus => ({
  endpoint: { id, name: id, kind: 'openai', baseUrl: 'http://server', hasKey: false },
  reachable: true,
  models: [{ id: 'Hammer' }],
  discovered: false,
  ...change,
})
const find = (...statuses: EndpointStatus[]) => namedModel(statuses, 'hammer', near, (id) => id.startsWith('local'))

it('prefers the server of the conversation, and takes one of this machine', () => {
  expect(find(statusOf('local'), statusOf('own'))).toEqual({ endpointId: 'own', model: 'Hammer' })
  expect(find(statusOf('local'), statusOf('own', { models: [] }))).toEqual({ endpointId: 'local', model: 'Hammer' })
})

it.each([
  ['on another machine', statusOf('cloud')],
  ['on this machine that does not answer', statusOf('local', { reachable: false })],
  ['that the user has not allowed', statusOf('local', { offered: true })],
  ['with the tour', statusOf('local', { endpoint: { ...statusOf('local').endpoint, kind: 'tour' } })],
])('does not choose a server %s', (_what, status) => {
  expect(find(status)).toBeUndefined()
})
