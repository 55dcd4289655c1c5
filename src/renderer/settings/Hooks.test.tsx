import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FileChange } from '../../shared/files/files.ts'
import type { HookInfo, HookList } from '../../shared/tools/hooks.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { Hooks } from './Hooks.tsx'

let main: TestMain
let list: HookList
beforeEach(() => {
  vi.useFakeTimers()
  main = testMain()
  list = { hooks: [hook()], problems: [], restricted: false }
  main.responses['hooks.list'] = () => list
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const hook = (change: Partial<HookInfo> = {}): HookInfo => ({
  id: '1',
  source: '.claude/settings.json',
  event: 'Stop',
  matcher: '',
  command: 'bash guard.sh',
  timeout: 60,
  scripts: ['guard.sh'],
  missing: [],
  state: 'approved',
  ...change,
})
const reads = () => main.requests.filter(({ method }) => method === 'hooks.list').length
const settle = () => act(() => vi.advanceTimersByTimeAsync(1000))
const changed = (path: string, change: FileChange['change'] = 'changed') =>
  main.emit('files.changed', { changes: [{ path, change, directory: false }], overflow: false })

it('follows changes of the files that define hooks or that they name, several as one', async () => {
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  render(<Hooks />)
  await settle()
  expect(screen.getByText('Approved')).toBeTruthy()
  expect(reads()).toBe(1)
  list = { ...list, hooks: [hook({ state: 'changed' })] }
  for (const path of ['guard.sh', '.claude/settings.json', '.claude/settings.local.json']) changed(path)
  await settle()
  expect(screen.getByText(/Changed since you approved it/)).toBeTruthy()
  expect(reads()).toBe(2)
  changed('src/a.ts')
  await settle()
  expect(reads()).toBe(2)
  changed('tools/new.sh', 'created')
  main.emit('plugins.changed', { names: [] })
  await settle()
  expect(reads()).toBe(3)
  cleanup()
  changed('guard.sh')
  await settle()
  expect(reads()).toBe(3)
})

it('a list that was read before a decision does not replace the one after it', async () => {
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  render(<Hooks />)
  await settle()
  const late = Promise.withResolvers<HookList>()
  main.responses['hooks.list'] = () => late.promise
  changed('guard.sh')
  await settle()
  const off = { ...list, hooks: [hook({ state: 'refused' })] }
  main.responses['hooks.decide'] = () => off
  main.responses['hooks.list'] = () => off
  fireEvent.click(screen.getByRole('button', { name: 'Turn off hook Stop' }))
  await settle()
  late.resolve(list)
  await settle()
  expect(screen.getByText('Off')).toBeTruthy()
})

it('shows what a decision stored, not what a read found that began before the decision ended', async () => {
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  render(<Hooks />)
  await settle()
  const decided = Promise.withResolvers<HookList>()
  main.responses['hooks.decide'] = () => decided.promise
  fireEvent.click(screen.getByRole('button', { name: 'Turn off hook Stop' }))
  const before = Promise.withResolvers<HookList>()
  main.responses['hooks.list'] = () => before.promise
  changed('guard.sh')
  await settle()
  const off = { ...list, hooks: [hook({ state: 'refused' })] }
  main.responses['hooks.list'] = () => off
  decided.resolve(off)
  await settle()
  expect(screen.getByText('Off')).toBeTruthy()
  const sent = reads()
  before.resolve(list)
  await settle()
  expect(screen.getByText('Off')).toBeTruthy()
  expect(screen.queryByText('Approved')).toBeNull()
  // One more read shows what has changed during the decision.
  expect(reads()).toBe(sent + 1)
})

it('shows the hooks as they are if a decision fails', async () => {
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  render(<Hooks />)
  await settle()
  main.responses['hooks.decide'] = () => Promise.reject(new Error('The disk is full'))
  list = { ...list, hooks: [hook({ state: 'lost' })] }
  fireEvent.click(screen.getByRole('button', { name: 'Turn off hook Stop' }))
  await settle()
  expect(screen.getByText(/its file cannot be read/)).toBeTruthy()
})

it('shows each finished read while files go on changing, with one read at a time', async () => {
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  let open = 0
  let most = 0
  main.responses['hooks.list'] = async () => {
    open += 1
    most = Math.max(most, open)
    await new Promise((resolve) => setTimeout(resolve, 900))
    open -= 1
    return list
  }
  render(<Hooks />)
  for (let step = 0; step < 10; step += 1) {
    changed('.claude/settings.json')
    await act(() => vi.advanceTimersByTimeAsync(300))
  }
  expect(screen.getByText('Approved')).toBeTruthy()
  expect(most).toBe(1)
  await settle()
  await settle()
  expect(reads()).toBeLessThanOrEqual(5)
})
