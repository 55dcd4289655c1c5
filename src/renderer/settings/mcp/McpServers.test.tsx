import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { McpServerStatus, McpToolStatus } from '../../../shared/tools/mcp.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { useConfirm } from '../../platform/confirm.ts'
import { McpServers } from './McpServers.tsx'
import { useMcp } from '../../platform/mcpStore.ts'
import { TrustDialog } from './TrustDialog.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['mcp.save'] = () => ({ servers: [], problems: [] })
  main.responses['mcp.trust'] = () => ({ servers: [], problems: [] })
  main.responses['mcp.setTool'] = () => useMcp.getState().state
})
afterEach(() => {
  cleanup()
  useMcp.setState({ state: null, reviewing: null })
})

const server = (change: Partial<McpServerStatus> = {}): McpServerStatus => ({
  key: 'h1',
  name: 'tools',
  origin: 'workspace',
  file: '.mcp.json',
  state: 'untrusted',
  log: [],
  inputs: [],
  tools: [],
  definition: { type: 'stdio', command: 'npx', args: ['-y', 'some server'], env: { A: '1' } },
  ...change,
})
const tool = (change: Partial<McpToolStatus> = {}): McpToolStatus => ({
  name: 'tools__read',
  tool: 'read',
  title: 'Read',
  description: 'Reads.',
  risk: 'execute',
  ownRisk: 'execute',
  off: false,
  fingerprint: 'f',
  ...change,
})
const show = (...servers: McpServerStatus[]) => useMcp.setState({ state: { servers, problems: [] } })
const asked = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)
const lines = () =>
  within(screen.getByRole('region', { name: 'Definition' }))
    .getAllByRole('definition')
    .map((line) => line.textContent)

it('shows every field of a definition before it is trusted, with hidden characters made visible', async () => {
  show(
    server({
      definition: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'a\u001b[2Kb', 'x'.repeat(3000)],
        env: { PATH: '/tmp' },
      },
    }),
  )
  useMcp.setState({ reviewing: 'h1' })
  render(<TrustDialog />)
  expect(lines()).toEqual(['npx', '-y', 'a␛[2Kb', 'x'.repeat(3000), '/tmp'])
  expect(screen.getByText('Hidden characters are shown as symbols.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Trust and start' }))
  await waitFor(() => expect(asked('mcp.trust')).toEqual([{ key: 'h1', trusted: true }]))
})

it('shows changes since the last decision', () => {
  show(server({ before: { type: 'stdio', command: 'npx', args: ['-y', 'old', 'gone'], env: { A: '1' } } }))
  useMcp.setState({ reviewing: 'h1' })
  const { baseElement } = render(<TrustDialog />)
  const texts = (mark: string) => [...baseElement.querySelectorAll(mark)].map(({ textContent }) => textContent)
  expect(texts('ins')).toEqual(['some server'])
  expect(texts('del')).toEqual(['was old', 'was gone'])
})

it('lists the environment variables that a definition receives, in every notation', () => {
  show(
    server({
      definition: {
        type: 'http',
        url: 'https://x.example/',
        headers: { A: 'Bearer ${env:ONE}', B: '${TWO:-no}', C: '${input:key} ${workspaceFolder}' },
      },
    }),
  )
  useMcp.setState({ reviewing: 'h1' })
  render(<TrustDialog />)
  expect(screen.getByText('ONE, TWO')).toBeTruthy()
  expect(screen.getByText('key')).toBeTruthy()
})

it('saves a new server from its fields, and its secrets separately', async () => {
  show()
  render(<McpServers />)
  fireEvent.click(screen.getByRole('button', { name: 'Add MCP server' }))
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  type('Name', 'mine')
  type('Program', 'npx')
  type('Arguments', '-y\nsome server\n')
  type('Environment', 'KEY=${input:token}\nURL=http://a?b=c')
  type('Secret token', 's3cret')
  fireEvent.submit(screen.getByRole('form', { name: 'New MCP server' }))
  await waitFor(() =>
    expect(asked('mcp.save')).toEqual([
      {
        name: 'mine',
        definition: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'some server'],
          env: { KEY: '${input:token}', URL: 'http://a?b=c' },
        },
        secrets: { token: 's3cret' },
      },
    ]),
  )
})

it('does not save an invalid definition, and shows the problem', () => {
  show()
  render(<McpServers />)
  fireEvent.click(screen.getByRole('button', { name: 'Add MCP server' }))
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'mine' } })
  fireEvent.change(screen.getByLabelText('Program'), { target: { value: 'npx' } })
  fireEvent.change(screen.getByLabelText('Environment'), { target: { value: 'not a variable' } })
  fireEvent.submit(screen.getByRole('form', { name: 'New MCP server' }))
  expect(screen.getByRole('alert').textContent).toContain('Not a valid environment variable name')
  expect(asked('mcp.save')).toEqual([])
})

it('lowers the risk of a tool for its current description, and restores the default', async () => {
  show(server({ state: 'connected', tools: [tool(), tool({ name: 'tools__all', tool: 'all', risk: 'read' })] }))
  render(<McpServers />)
  fireEvent.click(screen.getByRole('button', { name: '2 tools' }))
  fireEvent.change(screen.getByLabelText('Risk of tools__read'), { target: { value: 'read' } })
  fireEvent.change(screen.getByLabelText('Risk of tools__all'), { target: { value: 'execute' } })
  await waitFor(() =>
    expect(asked('mcp.setTool')).toEqual([
      { key: 'h1', tool: 'read', fingerprint: 'f', risk: 'read' },
      { key: 'h1', tool: 'all', fingerprint: 'f', risk: null },
    ]),
  )
})

it('opens a browser only after a question that names the host, and shows the address while it waits', async () => {
  main.responses['mcp.findSignIn'] = () => ({ host: 'auth.example', server: 'mcp.example', scopes: ['files\u202e'] })
  main.responses['mcp.signIn'] = () => useMcp.getState().state
  main.responses['mcp.cancelSignIn'] = () => useMcp.getState().state
  show(server({ state: 'failed', problem: 'The server requires a sign-in.', signIn: { state: 'required' } }))
  render(<McpServers />)
  fireEvent.click(screen.getByRole('button', { name: 'Sign in…' }))
  await waitFor(() => expect(useConfirm.getState().pending).not.toBeNull())
  expect(asked('mcp.signIn')).toEqual([])
  const { request: question, answer } = useConfirm.getState().pending ?? {}
  expect(question?.message).toContain('Your browser opens auth.example.')
  expect(question?.items).toEqual(['files\\u202e'])
  answer?.('open')
  await waitFor(() => expect(asked('mcp.signIn')).toEqual([{ key: 'h1', host: 'auth.example' }]))

  act(() => show(server({ state: 'failed', signIn: { state: 'waiting', page: 'https://auth.example/authorize?x' } })))
  expect(screen.getByRole('status').textContent).toContain('https://auth.example/authorize?x')
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(asked('mcp.cancelSignIn')).toEqual([{ key: 'h1' }]))
})

it('does not sign in if the question is cancelled', async () => {
  main.responses['mcp.findSignIn'] = () => ({ host: 'auth.example', server: 'mcp.example', scopes: [] })
  show(server({ state: 'failed', signIn: { state: 'required' } }))
  render(<McpServers />)
  fireEvent.click(screen.getByRole('button', { name: 'Sign in…' }))
  await waitFor(() => expect(useConfirm.getState().pending).not.toBeNull())
  await act(async () => useConfirm.getState().pending?.answer(null))
  expect(asked('mcp.signIn')).toEqual([])
})

it('shows the last output of a server that failed', () => {
  show(
    server({
      state: 'failed',
      problem: 'The server exited before it was ready.',
      log: ['one', 'two', 'no disk', 'The server exited with code 3.', 'The server exited before it was ready.'],
    }),
  )
  render(<McpServers />)
  expect(screen.getByText('The server exited before it was ready.')).toBeTruthy()
  expect(screen.getByText(/two\s+no disk\s+The server exited with code 3\./)).toBeTruthy()
})
