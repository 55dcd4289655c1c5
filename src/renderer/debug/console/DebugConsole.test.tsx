import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { useDebug } from '../../platform/debug/debugStore.ts'
import { registerEditorService, type EditorService } from '../../platform/editor/editorService.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { stoppedSession, variable } from '../testing/sessions.ts'
import { wordBefore } from './ConsoleInput.tsx'
import { DebugConsole } from './DebugConsole.tsx'
import { addOutput, clearConsole, consoleValues, useDebugConsole } from './debugConsoleStore.ts'

let main: TestMain
let unregister: () => void
const openFile = vi.fn<EditorService['openFile']>(async () => undefined)
beforeEach(() => {
  main = testMain()
  openFile.mockClear()
  // The console only opens files.
  unregister = registerEditorService({ openFile } as unknown as EditorService)
  useDebug.setState({ sessions: [stoppedSession()], selectedSession: 'debug-1' })
  // The test DOM has no layout, so that a virtual list would render no rows.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 })
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, value: 600 })
})
afterEach(() => {
  cleanup()
  unregister()
  clearConsole()
  consoleValues.use.setState(consoleValues.use.getInitialState(), true)
  useDebug.setState(useDebug.getInitialState(), true)
  useDebugConsole.setState(useDebugConsole.getInitialState(), true)
})

const list = () => screen.getByRole('tree', { name: 'Debug console output' })
const lines = () =>
  within(list())
    .getAllByRole('treeitem')
    .map((row) => row.textContent)
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Evaluate expression' })
const press = (key: string, options = {}) => fireEvent.keyDown(field(), { key, ...options })
async function run(text: string): Promise<void> {
  fireEvent.change(field(), { target: { value: text } })
  await act(async () => press('Enter'))
}

describe('the debug console', () => {
  it('colors output by category and escape sequences, and links to where it was printed', () => {
    addOutput({
      sessionId: 'debug-1',
      category: 'stdout',
      text: 'a \u001b[32mgreen\u001b[0m\n',
      path: 'src/a.py',
      line: 3,
    })
    addOutput({ sessionId: 'debug-1', category: 'stderr', text: 'wrong\n' })
    render(<DebugConsole />)
    expect(lines()).toEqual(['a greena.py:3', 'wrong'])
    expect(screen.getByText('green').style.color).toBe('var(--color-success)')
    expect(screen.getAllByRole('treeitem').map((row) => row.dataset['category'])).toEqual(['stdout', 'stderr'])
    fireEvent.click(screen.getByRole('button', { name: 'a.py:3' }))
    expect(openFile).toHaveBeenCalledWith('src/a.py', { line: 3, column: 1 })
  })

  it('renders only the visible of 10,000 lines', () => {
    const height = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(20)
    onTestFinished(() => height.mockRestore())
    addOutput({ sessionId: 'debug-1', category: 'stdout', text: 'line\n'.repeat(10_000) })
    render(<DebugConsole />)
    expect(screen.getAllByRole('treeitem').length).toBeLessThan(200)
    expect(screen.getAllByRole('treeitem')[0]?.getAttribute('aria-setsize')).toBe('10000')
  })

  it('expands a result by keyboard', async () => {
    main.responses['debug.evaluate'] = () => ({ value: '[1, 2]', reference: 5 })
    main.responses['debug.variables'] = () => [variable('0', '1'), variable('1', '2')]
    render(<DebugConsole />)
    await run('items')
    expect(lines()).toEqual(['items', '[1, 2]'])
    fireEvent.keyDown(list(), { key: 'End' })
    fireEvent.keyDown(list(), { key: 'ArrowRight' })
    await waitFor(() => expect(lines()).toEqual(['items', '[1, 2]', '0:1', '1:2']))
    fireEvent.keyDown(list(), { key: 'ArrowLeft' })
    expect(lines()).toEqual(['items', '[1, 2]'])
  })

  it('filters by text and session, and is cleared', () => {
    addOutput({ sessionId: 'debug-1', category: 'stdout', text: 'one\n' })
    addOutput({ sessionId: 'debug-2', category: 'stdout', text: 'two\n' })
    useDebugConsole.setState({ names: { 'debug-1': 'main.py', 'debug-2': 'server' } })
    render(<DebugConsole />)
    fireEvent.change(screen.getByRole('combobox', { name: 'Session' }), { target: { value: 'debug-2' } })
    expect(lines()).toEqual(['two'])
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'one' } })
    expect(screen.getByText('No output matches the filter')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Clear console' }))
    expect(screen.getByText('No output')).toBeTruthy()
  })
})

describe('the field', () => {
  it('recalls earlier expressions, and returns to what was typed', async () => {
    main.responses['debug.evaluate'] = () => ({ value: '1', reference: 0 })
    render(<DebugConsole />)
    await run('first')
    await run('second')
    fireEvent.change(field(), { target: { value: 'ty ' } })
    press('ArrowUp')
    press('ArrowUp')
    expect(field().value).toBe('first')
    press('ArrowUp')
    expect(field().value).toBe('first')
    press('ArrowDown')
    press('ArrowDown')
    expect(field().value).toBe('ty ')
  })

  it('completes what the debugger knows with the list of suggestions', async () => {
    main.responses['debug.completions'] = () => [
      { label: 'items', text: 'items' },
      { label: 'item', text: 'item' },
      { label: 'other', text: 'other' },
    ]
    render(<DebugConsole />)
    const input = field()
    fireEvent.change(input, { target: { value: 'len(it' } })
    input.setSelectionRange(6, 6)
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(2))
    expect(main.requests.find(({ method }) => method === 'debug.completions')?.params).toEqual({
      sessionId: 'debug-1',
      text: 'len(it',
      column: 7,
    })
    press('ArrowDown')
    press('ArrowDown')
    expect(input.getAttribute('aria-activedescendant')).toBe('debug-suggestion-1')
    input.setSelectionRange(6, 6)
    press('Enter')
    expect(input.value).toBe('len(item')
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('evaluates on Enter although suggestions are shown, and keeps Shift+Enter for lines', async () => {
    main.responses['debug.completions'] = () => [{ label: 'xylophone', text: 'xylophone' }]
    main.responses['debug.evaluate'] = () => ({ value: '1', reference: 0 })
    render(<DebugConsole />)
    fireEvent.change(field(), { target: { value: 'x' } })
    await screen.findByRole('option')
    press('Enter', { shiftKey: true })
    expect(main.requests.some(({ method }) => method === 'debug.evaluate')).toBe(false)
    await act(async () => press('Enter'))
    expect(lines()).toEqual(['x', '1'])
    expect(field().value).toBe('')
  })

  it.each([
    ['len(it', 6, 'it'],
    ['a.bc', 4, 'bc'],
    ['a.', 2, ''],
    ['größe', 5, 'größe'],
  ])('replaces the word before the cursor: %s', (text, cursor, word) => {
    expect(wordBefore(text, cursor)).toBe(word)
  })
})
