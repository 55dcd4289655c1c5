import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ModelFacts, ModelReport } from '../../shared/models/modelCheck.ts'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import { useEndpoints } from '../platform/models/endpointsStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { ModelCheckPage } from './ModelCheckPage.tsx'
import { registerModelCheck, useModelCheck } from './modelCheckStore.ts'

const server: EndpointStatus = {
  endpoint: { id: 'o', name: 'Ollama', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434', hasKey: false },
  reachable: true,
  models: [{ id: 'qwen3:4b' }, { id: 'gemma3:4b' }],
  discovered: true,
}
const report = (change: Partial<ModelReport> = {}): ModelReport => ({
  id: 'r1',
  at: 1_750_000_000_000,
  ms: 65_000,
  endpointId: 'o',
  model: 'qwen3:4b',
  api: 'ollama',
  version: '0.1.0',
  ended: 'complete',
  steps: [
    { step: 'vision', state: 'failed', ms: 10, note: 'The model did not name the colors of the image.' },
    { step: 'read', state: 'passed', ms: 1200 },
  ],
  facts: { calls: 'text', dialect: 'Hermes', speed: { generation: 42, reported: true } },
  findings: [{ code: 'broken_arguments', count: 2 }],
  verdict: 'usable',
  recommendation: {
    profile: { value: 'auto', reason: 'The model handles all tools.' },
    contextWindow: { value: 8192, reason: 'The server refuses more.' },
    temperature: { value: 0.1, reason: 'More exact.' },
    toolset: { value: 'blade', reason: 'Nothing is known.' },
  },
  ...change,
})

let main: TestMain
let stop: () => void
const sent = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)

beforeEach(() => {
  main = testMain()
  useModelCheck.setState({ checks: null, choice: null, shown: null })
  useEndpoints.setState({ endpoints: [server], loadedAt: 1 })
  stop = registerModelCheck()
})
afterEach(() => {
  stop()
  cleanup()
})

it('starts a check of the chosen model, shows its progress, and cancels it', async () => {
  main.responses['modelCheck.state'] = () => ({ running: null, problem: null, reports: [] })
  render(<ModelCheckPage />)
  fireEvent.change(await screen.findByLabelText('Model'), { target: { value: JSON.stringify(['o', 'gemma3:4b']) } })
  fireEvent.click(screen.getByRole('button', { name: 'Start check' }))
  await waitFor(() => expect(sent('modelCheck.start')).toEqual([{ endpointId: 'o', model: 'gemma3:4b' }]))

  const running = { endpointId: 'o', model: 'gemma3:4b', startedAt: 1, cancelling: false }
  const steps = [
    { step: 'answer', state: 'passed', ms: 900 },
    { step: 'read', state: 'running' },
  ] as const
  main.emit('modelCheck.changed', { running: { ...running, steps: [...steps] }, problem: null, reports: [] })
  expect(await screen.findByText('Running: Read a file and answer')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Finished steps' }).getAttribute('value')).toBe('1')
  expect(screen.getByRole('img', { name: 'Passed' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(sent('modelCheck.cancel')).toHaveLength(1))
})

it('shows the verdict, what was found, and applies the recommended settings', async () => {
  main.responses['modelCheck.state'] = () => ({ running: null, problem: null, reports: [report()] })
  render(<ModelCheckPage />)
  const result = await screen.findByRole('region', { name: 'Result of qwen3:4b' })
  expect(within(result).getByText('Usable')).toBeTruthy()
  expect(within(result).getByText(/Broken arguments/).parentElement?.textContent).toContain('(2 times)')
  expect(within(result).getByText('As text (Hermes)')).toBeTruthy()
  expect(within(result).getByRole('img', { name: 'Not supported' })).toBeTruthy()
  expect(within(result).getByRole('row', { name: 'Context size 8,192 The server refuses more.' })).toBeTruthy()
  fireEvent.click(within(result).getByRole('button', { name: 'Apply' }))
  await waitFor(() => expect(sent('modelCheck.apply')).toEqual([{ id: 'r1' }]))
})

it.each(['cancelled', 'time_limit', 'server_failed'] as const)(
  'does not offer to apply the settings of a check that ended early (%s)',
  async (ended) => {
    main.responses['modelCheck.state'] = () => ({ running: null, problem: null, reports: [report({ ended })] })
    render(<ModelCheckPage />)
    const result = await screen.findByRole('region', { name: 'Result of qwen3:4b' })
    expect(within(result).queryByRole('button', { name: 'Apply' })).toBeNull()
    expect(
      within(result).getByText('The check did not finish, so its settings cannot be applied. Run the check again.'),
    ).toBeTruthy()
  },
)

it('compares all results, shows another one, and removes one', async () => {
  const other = report({ id: 'r2', model: 'gemma3:4b', endpointId: 'gone', verdict: 'unsuitable', facts: {} })
  main.responses['modelCheck.state'] = () => ({ running: null, problem: null, reports: [report(), other] })
  render(<ModelCheckPage />)
  const table = await screen.findByRole('table', { name: 'All results' })
  expect(
    within(table)
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['qwen3:4b', 'gemma3:4b'])
  fireEvent.click(screen.getByRole('button', { name: 'Show the result of gemma3:4b' }))
  const result = await screen.findByRole('region', { name: 'Result of gemma3:4b' })
  expect(within(result).getByRole('button', { name: 'Apply' }).hasAttribute('disabled')).toBe(true)
  fireEvent.click(screen.getByRole('button', { name: 'Remove the result of gemma3:4b' }))
  await waitFor(() => expect(sent('modelCheck.remove')).toEqual([{ id: 'r2' }]))
})

it('shows a context that was not measured to its end as a minimum', async () => {
  const facts = (window: ModelFacts['window']): Partial<ModelReport> => ({ facts: { window } })
  const reports = [
    report({ id: 'a', model: 'measured', ...facts({ complete: 7900, beyond: 'refused', limit: 8192 }) }),
    report({ id: 'b', model: 'longer', ...facts({ complete: 1500, beyond: 'untested' }) }),
    report({ id: 'c', model: 'unconfirmed', ...facts({ complete: 1500, beyond: 'untested', unconfirmed: true }) }),
  ]
  main.responses['modelCheck.state'] = () => ({ running: null, problem: null, reports })
  render(<ModelCheckPage />)
  const table = await screen.findByRole('table', { name: 'All results' })
  const context = (model: string) =>
    within(table).getByRole<HTMLTableRowElement>('row', { name: new RegExp(model) }).cells[4]?.textContent
  expect(['measured', 'longer', 'unconfirmed'].map(context)).toEqual(['8k', '≥ 1,500', '–'])
})

it('shows why a check could not run, and without a model where to get one', async () => {
  useEndpoints.setState({ endpoints: [] })
  main.responses['modelCheck.state'] = () => ({ running: null, problem: 'Ollama is not reachable.', reports: [] })
  render(<ModelCheckPage />)
  expect((await screen.findByRole('alert')).textContent).toBe('Ollama is not reachable.')
  expect(screen.getByRole('button', { name: 'Set up a model' })).toBeTruthy()
})

it('names the server that is not reachable, and searches again', async () => {
  const problem = 'Ollama at http://127.0.0.1:11434 refused the connection: no server is listening there.'
  main.responses['modelCheck.state'] = () => ({ running: null, problem: null, reports: [] })
  main.responses['endpoints.list'] = () => [server]
  useEndpoints.setState({ endpoints: [{ ...server, reachable: false, models: [], problem }], loadedAt: 1 })
  render(<ModelCheckPage />)
  expect(await screen.findByText(problem)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Search again' }))
  expect(await screen.findByRole('button', { name: 'Start check' })).toBeTruthy()
})
