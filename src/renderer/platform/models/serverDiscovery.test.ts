import { afterEach, expect, it } from 'vitest'
import type { EndpointStatus } from '../../../shared/settings/settings.ts'
import { useQuickPick } from '../quickPick/quickPick.ts'
import { useEndpoints } from './endpointsStore.ts'
import { modelPickerTitle, needsSearch } from './serverDiscovery.ts'

const status = (id: string, kind: 'openai' | 'tour' = 'openai', models = [{ id: 'm' }]): EndpointStatus => ({
  endpoint: { id, name: id, kind, baseUrl: 'http://127.0.0.1:1', hasKey: false },
  reachable: true,
  discovered: true,
  models,
})
const known = (...endpoints: EndpointStatus[]) => useEndpoints.setState({ endpoints })

afterEach(() => {
  known()
  useQuickPick.setState({ open: null })
})

it('searches while no model is usable or the server of the chosen one does not respond', () => {
  expect(needsSearch(undefined)).toBe(true)
  known(status('tour', 'tour'), status('empty', 'openai', []))
  expect(needsSearch(undefined)).toBe(true)
  known(status('a'))
  expect(needsSearch(undefined)).toBe(false)
  expect(needsSearch('a')).toBe(false)
  expect(needsSearch('b')).toBe(true)
  expect(needsSearch('tour')).toBe(false)
})

it('searches while the model picker is open, but not for other pickers', () => {
  known(status('a'))
  const open = (title: string) =>
    useQuickPick.setState({ open: { key: 1, options: { title, items: [] }, answer: () => undefined } })
  open('Mode')
  expect(needsSearch('a')).toBe(false)
  open(modelPickerTitle)
  expect(needsSearch('a')).toBe(true)
})
