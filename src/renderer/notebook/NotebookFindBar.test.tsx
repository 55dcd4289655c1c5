import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { create } from 'zustand'
import { parseNotebook } from '../../shared/notebook/notebook.ts'
import { useNotices } from '../platform/notices.ts'
import NotebookFindBar from './NotebookFindBar.tsx'
import type { NotebookFind, NotebookSession } from './notebookSession.ts'

// Without workers.
vi.mock('../platform/editor/monaco/monaco.ts', async () => ({
  monaco: await import('monaco-editor/editor/editor.api'),
}))

afterEach(() => {
  cleanup()
  useNotices.setState({ notices: [] })
})

function replaceAll(count: number): ReadonlyMap<string, string> {
  const cell = { cell_type: 'markdown', metadata: {}, source: 'a'.repeat(count) }
  const notebook = parseNotebook(JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 }))
  const setSources = vi.fn<NotebookSession['setSources']>()
  // The find bar uses only these.
  const session = {
    store: create(() => ({ notebook })),
    setSources,
    setFind: () => {},
    reveal: () => {},
  } as unknown as NotebookSession
  const options = { caseSensitive: false, wholeWord: false, regex: false, replacing: true, opened: 0 }
  const find = { ...options, query: 'a', replacement: 'b', from: { key: null, offset: 0 } } as unknown as NotebookFind
  render(<NotebookFindBar session={session} find={find} />)
  fireEvent.click(screen.getByRole('button', { name: /^Replace all matches/ }))
  return setSources.mock.calls[0]?.[0] ?? new Map()
}

it('a notice says that not all matches were replaced', () => {
  expect([...replaceAll(10_001).values()]).toEqual([`${'b'.repeat(10_000)}a`])
  expect(useNotices.getState().notices).toMatchObject([
    { message: 'Replaced 10,000 matches, which is the most at once.' },
  ])
})

it('no notice appears if all matches were replaced', () => {
  expect([...replaceAll(3).values()]).toEqual(['bbb'])
  expect(useNotices.getState().notices).toEqual([])
})
