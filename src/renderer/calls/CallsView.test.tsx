import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { CallHierarchy, CallHierarchyItem } from '../../shared/language/codeNavigation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { RequestParams } from '../../shared/bridge/protocol.ts'
import { registerEditorService, type EditorService } from '../platform/editor/editorService.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { noCalls, showCalls, useCalls } from './callsStore.ts'
import { CallsView } from './CallsView.tsx'

const item = (name: string, line: number, changes: Partial<CallHierarchyItem> = {}): CallHierarchyItem => ({
  name,
  kind: 'function',
  detail: '',
  path: 'src/a.ts',
  range: { startLine: line, startColumn: 10, endLine: line, endColumn: 12 },
  ...changes,
})
const call = (each: CallHierarchyItem, ...lines: number[]): CallHierarchy['calls'][number] => ({
  item: each,
  ranges: lines.map((line) => ({ startLine: line, startColumn: 3, endLine: line, endColumn: 4 })),
  certain: true,
})

let main: TestMain
let asked: RequestParams<'code.callHierarchy'>[]
let stop: () => void
const openFile = vi.fn<EditorService['openFile']>(async () => undefined)
beforeEach(() => {
  main = testMain()
  asked = []
  openFile.mockClear()
  main.responses['code.callHierarchy'] = (params) => {
    asked.push(params)
    const below: Record<number, CallHierarchy['calls']> = {
      1: [call(item('run', 20), 22, 25), call(item('start', 40), 41)],
      20: [call(item('main', 60), 61)],
    }
    const calls = params.direction === 'incoming' ? (below[params.line] ?? []) : [call(item('log', 90), 2)]
    return { item: item('save', 1), calls, more: 0 }
  }
  // The view only opens files.
  stop = registerEditorService({ openFile } as unknown as EditorService)
  // The test DOM has no layout, so that a virtual list would render no rows.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 })
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, value: 600 })
})
afterEach(() => {
  cleanup()
  stop()
  useCalls.setState(noCalls, true)
})

const names = () => screen.getAllByRole('treeitem').map((row) => row.querySelector('.calls-name')?.textContent)
const tree = () => screen.getByRole('tree', { name: 'Call hierarchy' })
async function showView(): Promise<void> {
  render(<CallsView />)
  await act(async () => showCalls({ path: 'src/a.ts', line: 1, column: 10 }, 'incoming'))
}

it('callers are expanded and opened by keyboard, level by level', async () => {
  await showView()
  expect(names()).toEqual(['save', 'run', 'start'])
  expect(screen.getByRole('treeitem', { name: /^function ?run ?a\.ts ?2 calls$/ })).toBeTruthy()
  expect(screen.getByRole('status').textContent).toBe('save: 2 callers')
  fireEvent.keyDown(tree(), { key: 'ArrowDown' })
  fireEvent.keyDown(tree(), { key: 'ArrowRight' })
  await waitFor(() => expect(names()).toEqual(['save', 'run', 'main', 'start']))
  expect(asked[1]).toEqual({ path: 'src/a.ts', line: 20, column: 10, direction: 'incoming' })
  fireEvent.keyDown(tree(), { key: 'Enter' })
  fireEvent.keyDown(tree(), { key: 'ArrowRight' })
  fireEvent.keyDown(tree(), { key: ' ' })
  expect(openFile.mock.calls).toEqual([
    ['src/a.ts', { line: 22, column: 3 }, { focus: true, preview: false }],
    ['src/a.ts', { line: 61, column: 3 }, { focus: false, preview: true }],
  ])
  fireEvent.keyDown(tree(), { key: 'ArrowLeft' })
  fireEvent.keyDown(tree(), { key: 'ArrowLeft' })
  expect(names()).toEqual(['save', 'run', 'start'])
})

it('the other direction lists the called functions, which open at their definition', async () => {
  await showView()
  fireEvent.click(screen.getByRole('button', { name: 'Calls' }))
  await waitFor(() => expect(names()).toEqual(['save', 'log']))
  fireEvent.keyDown(tree(), { key: 'End' })
  fireEvent.keyDown(tree(), { key: 'Enter' })
  expect(openFile.mock.calls[0]?.[1]).toEqual({ line: 90, column: 10 })
})

it('explains that there is no function, or why calls were not found, and tries again', async () => {
  render(<CallsView />)
  expect(screen.getByText('No function selected')).toBeTruthy()
  main.responses['code.callHierarchy'] = () => null
  await act(async () => showCalls({ path: 'src/a.ts', line: 1, column: 10 }, 'incoming'))
  expect(screen.getByText('No function here')).toBeTruthy()
  main.responses['code.callHierarchy'] = () => {
    throw new ToolError('timeout', 'The server did not answer.')
  }
  await act(async () => showCalls({ path: 'src/a.ts', line: 1, column: 10 }, 'incoming'))
  expect(screen.getByText('The server did not answer.')).toBeTruthy()
  main.responses['code.callHierarchy'] = () => ({ item: item('save', 1), calls: [], more: 0 })
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.getByText('No callers found.')).toBeTruthy())
})
