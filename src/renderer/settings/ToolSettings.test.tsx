import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settingsSchema, type Settings } from '../../shared/settings/settings.ts'
import type { ToolInfo } from '../../shared/tools/tool.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { ToolSettings } from './ToolSettings.tsx'

const tool = (name: string, rest: Partial<ToolInfo> = {}): ToolInfo => ({
  name,
  aliases: [],
  title: name,
  description: `${name}.`,
  risk: 'read',
  schema: {},
  parameterAliases: {},
  ...rest,
})
let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['tools.list'] = ({ toolset }) =>
    toolset === 'blade'
      ? [
          tool('read_file'),
          tool('stop_command', { effect: 'process' }),
          tool('delete_file', { risk: 'destructive', description: 'Removes a file.' }),
        ]
      : toolset === 'rustant'
        ? [tool('web_fetch', { risk: 'network', off: 'web' })]
        : []
  main.responses['settings.set'] = (change) => settingsSchema.parse(change)
})
afterEach(cleanup)

const show = async (settings: Partial<Settings> = {}) => {
  render(<ToolSettings settings={settingsSchema.parse(settings)} />)
  return screen.findByRole('region', { name: 'Tools of Zaguán Blade' })
}
const saved = () => main.requests.filter(({ method }) => method === 'settings.set').map(({ params }) => params)
const isOn = (name: string) => screen.getByRole<HTMLInputElement>('switch', { name }).checked

describe('the switches of the tools', () => {
  it('show the risk of each tool, and which tools are off', async () => {
    const blade = await show({ disabledTools: { blade: ['delete_file'] } })
    expect(within(blade).getByText('Destructive')).toBeTruthy()
    expect(within(blade).getByText('Ends a command')).toBeTruthy()
    expect(within(blade).getByText(/1 off/)).toBeTruthy()
    expect([isOn('read_file'), isOn('delete_file')]).toEqual([true, false])
  })

  it('save each change, or enable all, without changing other toolsets', async () => {
    await show({ disabledTools: { blade: ['delete_file'], rusty: ['file_edit'] } })
    fireEvent.click(screen.getByRole('switch', { name: 'read_file' }))
    fireEvent.click(screen.getByRole('switch', { name: 'delete_file' }))
    fireEvent.click(screen.getByRole('button', { name: 'Enable all' }))
    await waitFor(() => expect(saved()).toHaveLength(3))
    expect(saved()).toEqual(
      [['delete_file', 'read_file'], [], []].map((blade) => ({ disabledTools: { blade, rusty: ['file_edit'] } })),
    )
  })

  it('are found by name or description in every toolset; one that needs web access is disabled and gives the reason', async () => {
    await show()
    expect(screen.queryByRole('switch', { name: 'web_fetch' })).toBeNull()
    fireEvent.change(screen.getByLabelText('Search tools'), { target: { value: 'fetch' } })
    expect(screen.getByRole<HTMLInputElement>('switch', { name: 'web_fetch' }).disabled).toBe(true)
    expect(screen.getByText(/web access is off/)).toBeTruthy()
    expect(screen.queryByRole('switch', { name: 'read_file' })).toBeNull()
    fireEvent.change(screen.getByLabelText('Search tools'), { target: { value: 'removes' } })
    expect(screen.getByRole('switch', { name: 'delete_file' })).toBeTruthy()
    fireEvent.change(screen.getByLabelText('Search tools'), { target: { value: 'nothing like it' } })
    expect(screen.getByText(/No tools match/)).toBeTruthy()
  })
})
