import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CallLine, SymbolLine, ToolResult, ToolView } from '../../../shared/tools/tool.ts'
import { emptyChat, useChat } from '../conversation/chatStore.ts'
import { testMain } from '../../testing/testMain.ts'
import { PreviewView, ResultView } from './ResultView.tsx'

beforeEach(() => {
  testMain()
  useChat.setState(emptyChat, true)
})
afterEach(cleanup)

function show(view: ToolView, text = '{"for": "the model"}'): void {
  const result: ToolResult = { ok: true, text, view, elapsedMs: 1, arguments: {}, truncated: false }
  render(<ResultView result={result} callId="c" />)
}
const line = (more: Partial<SymbolLine>): SymbolLine => ({
  path: 'src/a.ts',
  line: 3,
  kind: 'class',
  name: 'A',
  signature: 'class A',
  depth: 0,
  ...more,
})

describe('a preview', () => {
  const diff = '@@ -1 +1 @@\n-let a\n+let a \u202e// b\u200b\n'
  const view: ToolView = {
    kind: 'diff',
    unsaved: true,
    files: [{ path: 'src/\u202ea.ts', change: 'modified', diff, added: 1, removed: 1 }],
  }

  it('does not present a pending change as done', () => {
    render(<PreviewView view={view} />)
    expect(document.body.textContent).not.toMatch(/Changed in/)
    expect(screen.getByText(/this edit changes the tab/)).toBeTruthy()
    cleanup()
    show(view)
    expect(screen.getByText(/Changed in the open tab/)).toBeTruthy()
  })

  it('shows hidden characters as symbols, in paths too', () => {
    render(<PreviewView view={view} />)
    const shown = screen.getByTestId('diff').textContent
    expect(shown).toContain('let a \\u202e// b\\u200b')
    expect(shown).toContain('src/\\u202ea.ts')
    expect(shown).toContain('Hidden characters are shown as symbols')
    cleanup()
    render(<PreviewView view={{ kind: 'editor', action: 'change', text: 'x\u2066y' }} />)
    expect(screen.getByRole('region', { name: 'Text' }).textContent).toBe('x\\u2066y')
  })
})

describe('a sub-agent', () => {
  it('shows the report of a task below its calls', () => {
    show({ kind: 'calls', calls: [], report: true }, 'The limit is in limits.ts:1.')
    expect(screen.getByRole('region', { name: 'Result' }).textContent).toBe('The limit is in limits.ts:1.')
    cleanup()
    show({ kind: 'calls', calls: [] }, '[]')
    expect(screen.queryByRole('region', { name: 'Result' })).toBeNull()
  })

  it('shows the conclusions of an investigation above their evidence', () => {
    const matches = [{ path: 'src/users.ts', line: 3, text: 'put(user)' }]
    show({ kind: 'matches', pattern: 'how?', matches, total: 1, truncated: false, summary: 'Once, by name.' })
    const conclusions = screen.getByRole('region', { name: 'Findings' })
    expect(conclusions.textContent).toBe('Once, by name.')
    const row = screen.getByRole('button', { name: /put\(user\)/ })
    expect(conclusions.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0)
  })

  const read: CallLine = {
    tool: 'read_file',
    arguments: { path: 'limits.ts' },
    ok: true,
    text: 'limit = 10',
    view: { kind: 'text' },
    elapsedMs: 1,
  }
  const note = 'The model server has one slot, so it may read the conversation again (9 tokens).'

  it('shows its calls below the evidence of an investigation, and a note for the user below them', () => {
    const matches = [{ path: 'src/users.ts', line: 3, text: 'put(user)' }]
    const found = { kind: 'matches', pattern: 'how?', matches, total: 1, truncated: false, summary: 'Once.' } as const
    show({ ...found, matches, calls: [read], note })
    const [row, call] = [screen.getByRole('button', { name: /put\(user\)/ }), screen.getByTestId('nested-call')]
    expect(row.compareDocumentPosition(call) & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0)
    expect(screen.getByText(note)).toBeTruthy()
    cleanup()
    show({ kind: 'calls', calls: [read], report: true, note })
    expect(screen.getByText(note)).toBeTruthy()
  })

  it('shows its calls although it was stopped or failed', () => {
    const error = { code: 'cancelled' as const, message: 'The call was cancelled.', next: '' }
    const text = 'Error (cancelled): The call was cancelled.\nUntil then the sub-agent changed a.ts.'
    const stopped: ToolResult = {
      ok: false,
      text,
      error,
      view: { kind: 'calls', calls: [read] },
      elapsedMs: 1,
      arguments: {},
      truncated: false,
    }
    render(<ResultView result={stopped} callId="c" errorShown />)
    expect(screen.queryByRole('region', { name: 'Result' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: /limits\.ts/ }))
    expect(screen.getByRole('region', { name: 'Result' }).textContent).toBe('limit = 10')
  })
})

describe('symbols', () => {
  it('are grouped by file and indented by depth', () => {
    show({
      kind: 'symbols',
      symbols: [line({}), line({ line: 4, kind: 'method', name: 'm', signature: 'm(): void', depth: 1 })],
    })
    expect(screen.getByRole('button', { name: 'src/a.ts 2' })).toBeTruthy()
    const [outer, inner] = screen
      .getAllByTitle(/^Open src\/a\.ts:/)
      .map((row) => row.querySelector<HTMLElement>('.symbol-name')?.style.paddingLeft)
    expect(Number.parseInt(inner ?? '', 10)).toBeGreaterThan(Number.parseInt(outer ?? '', 10))
  })

  it('are grouped by heading with their position, and mark name-only matches', () => {
    show({ kind: 'symbols', symbols: [line({ group: 'Incoming: call', unsure: true })] })
    expect(screen.getByRole('region', { name: 'Incoming: call' }).textContent).toContain('by name')
    expect(screen.getByText('src/a.ts:3')).toBeTruthy()
  })
})

describe('a batch', () => {
  const failed = {
    tool: 'read_file',
    arguments: { path: 'gone.ts' },
    ok: false,
    text: '"gone.ts" does not exist.',
    view: { kind: 'text' as const },
    elapsedMs: 1,
  }
  const found = {
    tool: 'grep_search',
    arguments: { pattern: 'needle' },
    ok: true,
    text: 'src/b.ts:1:needle',
    elapsedMs: 2,
    view: {
      kind: 'matches' as const,
      pattern: 'needle',
      matches: [{ path: 'src/b.ts', line: 1, text: 'needle here' }],
      total: 1,
      truncated: false,
    },
  }

  it('has one row per call, which expands to its result', () => {
    show({ kind: 'calls', calls: [found, failed] })
    expect(screen.queryByText('needle here')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: /Grep search needle 1 match/ }))
    expect(screen.getByText('needle here')).toBeTruthy()
  })

  it('shows why a call failed without expanding it', () => {
    show({ kind: 'calls', calls: [found, failed] })
    expect(screen.getByText('"gone.ts" does not exist.')).toBeTruthy()
  })
})

it('shows a page without its JSON, and a note about truncated text', () => {
  show({ kind: 'page', text: '# Project index\n\n- src/a.ts', note: 'Characters 0 to 20 of 40.' })
  expect(screen.getByRole('region', { name: 'Result' }).textContent).toBe('# Project index\n\n- src/a.ts')
  expect(screen.getByText('Characters 0 to 20 of 40.')).toBeTruthy()
})
