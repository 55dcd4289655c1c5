import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settingsSchema, type Endpoint } from '../../shared/settings/settings.ts'
import { settingRows } from '../../shared/settings/settingsTable.ts'
import { useEndpoints } from '../platform/models/endpointsStore.ts'
import { useMcp } from '../platform/mcpStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { Agents } from './agents/Agents.tsx'
import { ApprovalRules } from './approval/ApprovalRules.tsx'
import { Endpoints } from './Endpoints.tsx'
import { McpServers } from './mcp/McpServers.tsx'

const endpoint: Endpoint = { id: 'e1', name: 'Box', kind: 'openai', baseUrl: 'http://box:8000', hasKey: false }
const agent = { id: 'a1', name: 'Qwen', command: 'qwen', args: [], env: {}, sandbox: true, folders: [] }
const rule = { decision: 'allow', match: 'exact', pattern: 'npm test', folder: null } as const

let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['endpoints.list'] = () => [{ endpoint, reachable: true, discovered: false, models: [{ id: 'm' }] }]
  main.responses['endpoints.save'] = () => endpoint
  useMcp.setState({
    state: {
      servers: [
        {
          key: 'k1',
          name: 'tools',
          origin: 'user',
          state: 'connected',
          log: [],
          inputs: [],
          tools: [],
          definition: { type: 'stdio', command: 'npx', args: [], env: {} },
        },
      ],
      problems: [],
    },
  })
})
afterEach(() => {
  cleanup()
  useMcp.setState({ state: null })
  useEndpoints.setState({ endpoints: [], loadedAt: null })
})

function settingEditor(key: string) {
  const row = settingRows.find(({ path }) => path === key)
  if (!row) throw new Error(`There is no setting ${key}.`)
  const settings = settingsSchema.parse({ agents: [agent], approval: { rules: [rule] } })
  return { settings, row, save: () => undefined }
}

const lists = {
  endpoints: () => <Endpoints />,
  'MCP servers': () => <McpServers />,
  agents: () => <Agents {...settingEditor('agents')} />,
  rules: () => <ApprovalRules {...settingEditor('approval.rules')} />,
}

describe.each([
  ['Add endpoint', 'New endpoint', lists.endpoints],
  ['Add model file', 'New endpoint', lists.endpoints],
  ['Change Box', 'Change Box', lists.endpoints],
  ['Add MCP server', 'New MCP server', lists['MCP servers']],
  ['Change tools', 'Change tools', lists['MCP servers']],
  ['Add agent', 'New agent', lists.agents],
  ['Edit Qwen', 'Edit Qwen', lists.agents],
  ['Add rule', 'New rule', lists.rules],
  ['Edit the rule for npm test', 'Edit rule', lists.rules],
])('the form of "%s"', (button, form, list) => {
  it.each(['Escape', 'Cancel'])('closes with %s, and its button has the focus again', async (how) => {
    render(list())
    const opener = await screen.findByRole('button', { name: button })
    opener.focus()
    fireEvent.click(opener)
    const opened = screen.getByRole('form', { name: form })
    if (how === 'Cancel') fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    else fireEvent.keyDown(document.activeElement ?? opened, { key: 'Escape' })
    expect(screen.queryByRole('form', { name: form })).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: button }))
  })
})

it('a form that closes when it is saved leaves the focus where the user has put it', async () => {
  render(
    <>
      <Endpoints />
      <input aria-label="Elsewhere" />
    </>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Change Box' }))
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  screen.getByLabelText('Elsewhere').focus()
  await waitFor(() => expect(screen.queryByRole('form')).toBeNull())
  expect(document.activeElement).toBe(screen.getByLabelText('Elsewhere'))
})

it('a form that closes when it is saved leaves open what the user has opened in the meantime', async () => {
  const saving = Promise.withResolvers<Endpoint>()
  main.responses['endpoints.save'] = () => saving.promise
  render(<Endpoints />)
  fireEvent.click(await screen.findByRole('button', { name: 'Change Box' }))
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  fireEvent.click(screen.getByRole('button', { name: 'Add endpoint' }))
  await act(async () => {
    saving.resolve(endpoint)
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect(screen.getByRole('form', { name: 'New endpoint' })).toBeTruthy()
})
