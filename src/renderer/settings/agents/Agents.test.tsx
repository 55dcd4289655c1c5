import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { AppState } from '../../../shared/bridge/appState.ts'
import type { SandboxState } from '../../../shared/commands/sandbox.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { settingRows } from '../../../shared/settings/settingsTable.ts'
import { useApp } from '../../platform/appState.ts'
import { Agents } from './Agents.tsx'

afterEach(() => {
  cleanup()
  useApp.setState({ state: null })
})

it('shows whether an agent really runs in the sandbox on this computer', () => {
  const row = settingRows.find(({ path }) => path === 'agents')
  if (!row) throw new Error('There is no setting for agents.')
  const agent = { name: 'A', command: 'a', args: [], env: {}, folders: [] }
  const agents = [
    { ...agent, id: 'a1', sandbox: true },
    { ...agent, id: 'a2', sandbox: false },
  ]
  render(<Agents settings={settingsSchema.parse({ agents })} row={row} save={() => undefined} />)
  const lines = () => screen.getAllByTestId('agent').map((each) => each.querySelector('.rule-scope')?.textContent)
  const show = (sandbox: SandboxState) =>
    // The list uses nothing else of the state.
    act(() => useApp.setState({ state: { sandbox } as AppState }))
  expect(lines()).toEqual(['In the sandbox, if this computer has one', 'Not sandboxed'])
  show({ kind: 'checking' })
  expect(lines()).toEqual(['In the sandbox, if this computer has one', 'Not sandboxed'])
  show({ kind: 'available', program: 'bubblewrap' })
  expect(lines()).toEqual(['In the sandbox, with network', 'Not sandboxed'])
  show({ kind: 'unavailable', reason: 'bubblewrap is not installed', hint: '' })
  expect(lines()).toEqual(['Not sandboxed: bubblewrap is not installed', 'Not sandboxed'])
  show({ kind: 'off' })
  expect(lines()).toEqual(['Not sandboxed: turned off in the settings', 'Not sandboxed'])
})
