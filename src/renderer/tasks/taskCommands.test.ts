import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { handleCommand, runCommand } from '../platform/commands.ts'
import { useNotices } from '../platform/notices.ts'
import { useQuickPick } from '../platform/quickPick/quickPick.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { registerTasks } from './taskCommands.ts'

let main: TestMain
let stops: (() => void)[]
let ran: unknown[]

beforeEach(() => {
  main = testMain()
  ran = []
  useNotices.setState({ notices: [] })
  // Only the fields that the commands' conditions read.
  useApp.setState({ state: { workspace: { root: '/w', name: 'w' } } as AppState })
  stops = [
    registerTasks(),
    handleCommand('terminal.run', (given) => void ran.push((given as { command: string }).command)),
  ]
})
afterEach(() => stops.forEach((stop) => stop()))

it('a task is chosen with its command line, runs in a terminal, and runs again as the last one', async () => {
  main.responses['tasks.list'] = () => [
    { name: 'build', command: 'npm run build', source: 'package.json' },
    { name: 'all', command: 'make all', source: 'Makefile' },
  ]
  runCommand('tasks.run')
  const picker = await vi.waitFor(() => {
    const { open } = useQuickPick.getState()
    if (!open || typeof open.options.items === 'function') throw new Error('The picker is not open.')
    return { ...open, items: open.options.items }
  })
  expect(picker.items.map(({ label, description, detail }) => [label, description, detail])).toEqual([
    ['build', 'npm run build', 'package.json'],
    ['all', 'make all', 'Makefile'],
  ])
  picker.answer(picker.items[1] ?? null)
  await vi.waitFor(() => expect(ran).toEqual(['make all']))
  runCommand('tasks.runLast')
  await vi.waitFor(() => expect(ran).toEqual(['make all', 'make all']))
})

it('a tab without text has no tests, and the commands about tests are off', () => {
  expect(runCommand('tests.runAtCursor')).toBe(false)
  expect(runCommand('tests.list')).toBe(false)
  expect(ran).toEqual([])
})
