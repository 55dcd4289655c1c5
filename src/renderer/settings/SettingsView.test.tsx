import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settingsSchema } from '../../shared/settings.ts'
import { testMain } from '../chat/testMain.ts'
import { useApp } from '../workbench/app.ts'
import { SettingsView } from './SettingsView.tsx'

const readFile = { name: 'read_file', aliases: [], title: 'Read file', description: 'Reads.', risk: 'read' as const, schema: {}, parameterAliases: {} }

beforeEach(() => {
  const { answers } = testMain()
  answers['endpoints.list'] = () => []
  answers['tools.list'] = ({ toolset }) => (toolset === 'blade' ? [readFile] : [])
})
afterEach(cleanup)

it('lets nobody choose a toolset without tools', async () => {
  useApp.setState({
    state: {
      version: '0',
      shell: 'browser',
      platform: 'linux',
      home: '/home/u',
      workspace: null,
      recents: [],
      settings: settingsSchema.parse({}),
      conversation: null,
      approvals: [],
      jobs: [],
    },
  })
  render(<SettingsView />)
  await waitFor(() => expect(screen.getByRole<HTMLOptionElement>('option', { name: /^rusty \(no tools/ }).disabled).toBe(true))
  expect(screen.getByRole<HTMLOptionElement>('option', { name: 'blade' }).disabled).toBe(false)
})
