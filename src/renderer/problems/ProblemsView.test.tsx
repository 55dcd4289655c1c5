import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LanguageServerState, LanguageServerStatus, Problem } from '../../shared/language/languageServers.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { registerEditorService, type EditorService } from '../platform/editor/editorService.ts'
import { followLanguageServers, useLanguages } from '../platform/languages/languageStore.ts'
import { followProblems, useProblems } from '../platform/languages/problemsStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { showAllProblems } from './problemFilter.ts'
import { ProblemsView } from './ProblemsView.tsx'

const problem = (message: string, startLine: number, changes: Partial<Problem> = {}): Problem => ({
  range: { startLine, startColumn: 3, endLine: startLine, endColumn: 9 },
  severity: 'error',
  message,
  source: 'ts',
  code: '2304',
  tags: [],
  related: [],
  ...changes,
})
const server = (state: LanguageServerState): LanguageServerStatus => ({
  id: 'typescript',
  title: 'TypeScript 7',
  languages: ['TypeScript'],
  state,
  detail: '',
  installable: false,
})
const unused = problem('Unused variable', 7, { severity: 'warning', source: 'eslint', code: 'no-unused' })

let main: TestMain
let stops: (() => void)[]
const openFile = vi.fn<EditorService['openFile']>(async () => undefined)
beforeEach(() => {
  main = testMain()
  openFile.mockClear()
  // The view only opens files.
  stops = [followLanguageServers(), followProblems(), registerEditorService({ openFile } as unknown as EditorService)]
  // The test DOM has no layout, so that a virtual list would render no rows.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 })
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, value: 600 })
})
afterEach(() => {
  cleanup()
  stops.forEach((stop) => stop())
  showAllProblems()
  useLanguages.setState({ servers: [], problems: {}, editorProblems: {} })
  useProblems.setState(useProblems.getInitialState(), true)
  useApp.setState({ state: null })
})

const rows = () => screen.getAllByRole('treeitem').map((row) => row.textContent)
const tree = () => screen.getByRole('tree', { name: 'Problems' })
async function report(path: string, problems: Problem[], more = 0): Promise<void> {
  await act(async () => main.emit('language.problems', { path, problems, more }))
  await waitFor(() => expect(useProblems.getState().files.some((file) => file.path === path)).toBe(true))
}

describe('the problems of all files', () => {
  beforeEach(async () => {
    render(<ProblemsView />)
    await report('src/b.ts', [problem('Cannot find b', 2), unused], 12)
    await report('a.ts', [unused])
  })

  it('are listed by file, errors first, with source, code and position', () => {
    expect(rows()).toEqual([
      'b.tssrc2 problems',
      'Cannot find bts(2304)Ln 2, Col 3',
      'Unused variableeslint(no-unused)Ln 7, Col 3',
      'a.ts1 problem',
      'Unused variableeslint(no-unused)Ln 7, Col 3',
    ])
    expect(screen.getAllByRole('img').map((icon) => icon.getAttribute('aria-label'))).toEqual([
      'Error',
      'Warning',
      'Warning',
    ])
    expect(screen.getByText('12 more problems not listed')).toBeTruthy()
  })

  it('are reached by the keyboard; Enter goes to one and Space shows it', () => {
    fireEvent.keyDown(tree(), { key: 'ArrowDown' })
    fireEvent.keyDown(tree(), { key: ' ' })
    fireEvent.keyDown(tree(), { key: 'End' })
    fireEvent.keyDown(tree(), { key: 'Enter' })
    expect(openFile.mock.calls).toEqual([
      ['src/b.ts', { line: 2, column: 3 }, { focus: false, preview: true }],
      ['a.ts', { line: 7, column: 3 }, { focus: true, preview: false }],
    ])
    fireEvent.keyDown(tree(), { key: 'ArrowLeft' })
    fireEvent.keyDown(tree(), { key: 'ArrowLeft' })
    expect(rows()).toHaveLength(4)
  })

  it('are filtered by text and by severity', () => {
    fireEvent.change(screen.getByRole('searchbox', { name: 'Filter problems' }), { target: { value: 'NO-UNUSED' } })
    expect(rows()).toHaveLength(4)
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'src/' } })
    expect(rows()).toHaveLength(3)
    fireEvent.click(screen.getByRole('button', { name: 'Errors: 1' }))
    fireEvent.click(screen.getByRole('button', { name: 'Warnings: 2' }))
    fireEvent.click(screen.getByRole('button', { name: 'Clear filter' }))
    expect(rows()).toHaveLength(5)
  })

  it('offer to copy their message', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    fireEvent.contextMenu(screen.getByText('Cannot find b'))
    fireEvent.click(screen.getByRole('menuitem', { name: /Copy message/ }))
    expect(copied).toHaveBeenCalledWith('Cannot find b')
  })

  it('keep the selected problem while others appear above it', async () => {
    fireEvent.keyDown(tree(), { key: 'End' })
    await report('0.ts', [problem('New', 1)])
    expect(rows()).toHaveLength(7)
    expect(screen.getByRole('treeitem', { selected: true }).id).toBe('problem-row-6')
  })
})

it('places that explain a problem are shown below it and opened by keyboard', async () => {
  render(<ProblemsView />)
  const place = { path: 'src/base.ts', range: problem('', 12).range, message: '“x” is declared here.' }
  await report('a.ts', [problem('Missing x', 2, { related: [place] }), unused])
  expect(rows()).toHaveLength(3)
  fireEvent.keyDown(tree(), { key: 'ArrowDown' })
  expect(screen.getByRole('treeitem', { selected: true }).getAttribute('aria-expanded')).toBe('false')
  fireEvent.keyDown(tree(), { key: 'ArrowRight' })
  expect(rows()[2]).toBe('“x” is declared here.base.tsLn 12, Col 3')
  fireEvent.keyDown(tree(), { key: 'ArrowRight' })
  fireEvent.keyDown(tree(), { key: 'Enter' })
  expect(openFile.mock.calls).toEqual([['src/base.ts', { line: 12, column: 3 }, { focus: true, preview: false }]])
  fireEvent.keyDown(tree(), { key: 'ArrowLeft' })
  fireEvent.keyDown(tree(), { key: 'ArrowLeft' })
  expect(rows()).toHaveLength(3)
})

it('thousands of problems render only the visible rows', async () => {
  render(<ProblemsView />)
  await report(
    'a.ts',
    Array.from({ length: 5000 }, (_, index) => problem(`Problem ${index}`, index + 1)),
  )
  expect(screen.getAllByRole('treeitem').length).toBeLessThan(100)
})

describe('without problems the view explains whether servers run', () => {
  it.each([
    ['off', 'Language servers are off'],
    ['waiting', 'No language server is running'],
    ['running', 'No problems'],
  ] as const)('%s', (state, title) => {
    useLanguages.setState({ servers: [server(state)] })
    render(<ProblemsView />)
    expect(screen.getByText(title)).toBeTruthy()
  })

  it('in a restricted folder', () => {
    // The subset of the state that the view reads.
    useApp.setState({ state: { workspace: { restricted: { decided: true } } } as AppState })
    render(<ProblemsView />)
    expect(screen.getByRole('button', { name: 'Review trust' })).toBeTruthy()
  })
})
