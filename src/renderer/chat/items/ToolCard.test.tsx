import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolResult, ToolView } from '../../../shared/tools/tool.ts'
import { emptyChat, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { ToolCard } from './ToolCard.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
  useChat.setState(emptyChat, true)
})
afterEach(cleanup)

function result(view: ToolView, more: Partial<ToolResult> = {}): ToolResult {
  return {
    ok: true,
    text: 'text for the model',
    view,
    elapsedMs: 12,
    arguments: { path: 'a.ts' },
    truncated: false,
    ...more,
  }
}
function item(name: string, more: Partial<ToolItem>): ToolItem {
  return {
    id: 't',
    kind: 'tool',
    at: Date.now(),
    assistantId: 'a',
    callId: 'call',
    name,
    arguments: '{"path":"a.ts"}',
    state: 'done',
    ...more,
  }
}
const diff: ToolView = {
  kind: 'diff',
  editId: 'e1',
  files: [{ path: 'a.ts', change: 'modified', diff: '@@ -1 +1 @@\n-old\n+new\n', added: 1, removed: 1 }],
}

describe('a tool card', () => {
  it('shows an edit as a diff with its counts', async () => {
    render(<ToolCard item={item('apply_patch', { result: result(diff) })} />)
    expect((await screen.findByTestId('diff')).textContent).toContain('new')
    expect(screen.getAllByRole('img', { name: '1 line added, 1 removed' })).toHaveLength(2)
  })

  it('stays if its details cannot be shown', async () => {
    // React and the boundary log the error.
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    // Not as the details expect it.
    const broken = { kind: 'diff', editId: 'e1', files: [{ path: 'a.ts', diff: null }] } as unknown as ToolView
    render(<ToolCard item={item('apply_patch', { result: result(broken) })} />)
    expect(await screen.findByText('The details of this call cannot be shown.')).toBeTruthy()
    expect(screen.getByTestId('tool-card')).toBeTruthy()
    log.mockRestore()
  })

  it('shows that the model was informed of what the user undid', () => {
    const reviewNote = 'The user undid your changes in b.ts. Do not make them again unless the user asks.'
    render(<ToolCard item={item('read_file', { reviewNote })} />)
    expect(screen.getByText('The model was informed that you undid changes.').title).toBe(reviewNote)
  })

  it('undoes an edit and shows that it was undone', async () => {
    render(<ToolCard item={item('apply_patch', { result: result(diff) })} />)
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await screen.findByText('Undone')
    expect(main.requests).toEqual([{ method: 'edits.undo', params: { editId: 'e1' } }])
  })

  it('stops a running sub-agent without the turn', async () => {
    const info = {
      id: 'c1',
      title: '',
      createdAt: 1,
      updatedAt: 1,
      workspace: '/w',
      mode: 'safe',
      toolset: 'blade',
    } as const
    useChat.setState({ info })
    const { rerender } = render(<ToolCard item={item('task', { state: 'running' })} />)
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }))
    await waitFor(() =>
      expect(main.requests).toEqual([{ method: 'conversations.stopCall', params: { id: 'c1', itemId: 't' } }]),
    )
    for (const other of [item('task', { state: 'done' }), item('read_file', { state: 'running' })]) {
      rerender(<ToolCard item={other} />)
      expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
    }
  })

  it('shows what a sub-agent did before it was stopped, and what the model was told', async () => {
    const call = {
      tool: 'edit_file',
      arguments: { path: 'a.ts' },
      ok: true,
      text: '',
      view: { kind: 'text' },
      elapsedMs: 1,
    } as const
    const error = { code: 'cancelled' as const, message: 'The call was cancelled.', next: '' }
    const text = 'Error (cancelled): The call was cancelled.\nUntil then the sub-agent changed a.ts.'
    const stopped = result({ kind: 'calls', calls: [call] }, { ok: false, error, text })
    render(<ToolCard item={item('task', { state: 'cancelled', result: stopped })} />)
    expect(screen.getByTestId('tool-card').textContent).toContain('1 call')
    fireEvent.click(screen.getByRole('button', { expanded: false }))
    expect((await screen.findByTestId('nested-call')).textContent).toContain('a.ts')
    fireEvent.click(screen.getByRole('button', { name: 'Sent to the model' }))
    expect(screen.getByRole('region', { name: 'Sent to the model' }).textContent).toBe(text)
  })

  it('shows why an edit could not be undone', async () => {
    main.responses['edits.undo'] = () => {
      throw new Error('a.ts was changed since.')
    }
    render(<ToolCard item={item('apply_patch', { result: result(diff) })} />)
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await screen.findByText('a.ts was changed since.')
    expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy()
  })

  it('shows a failure with its next step while collapsed', () => {
    const error = { code: 'not_found' as const, message: 'There is no a.ts.', next: 'List the folder.' }
    render(
      <ToolCard
        item={item('read_file', { state: 'failed', result: result({ kind: 'text' }, { ok: false, error }) })}
      />,
    )
    expect(screen.getByText('There is no a.ts.')).toBeTruthy()
    expect(screen.getByText('List the folder.')).toBeTruthy()
  })

  it('does not show the next step for the model after a refusal', () => {
    const error = {
      code: 'refused' as const,
      message: 'The user refused this call: not now',
      next: 'Do not repeat it.',
    }
    render(
      <ToolCard
        item={item('read_file', { state: 'refused', result: result({ kind: 'text' }, { ok: false, error }) })}
      />,
    )
    expect(screen.getByText(/not now/)).toBeTruthy()
    expect(screen.queryByText('Do not repeat it.')).toBeNull()
  })

  it('shows once that a command was cancelled', () => {
    const job = {
      id: 'j',
      kind: 'command',
      command: 'ls',
      cwd: '.',
      state: 'killed',
      endedBy: 'cancel',
      startedAt: 1,
    } as const
    render(<ToolCard item={item('run_command', { state: 'cancelled', job })} />)
    expect(screen.getAllByText(/cancelled/i)).toHaveLength(1)
  })

  it.each([
    ['approval', 'Waiting for approval'],
    ['refused', 'Refused'],
    ['cancelled', 'Cancelled'],
    ['failed', 'Failed'],
  ] as const)('names the state %s', (state, word) => {
    render(<ToolCard item={item('read_file', { state })} />)
    expect(screen.getByText(word)).toBeTruthy()
  })

  it('renders only the first lines of a long result, and all of it on request', async () => {
    const text = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n')
    main.responses['results.full'] = () => `${text}\nthe end`
    render(<ToolCard item={item('read_file', { result: result({ kind: 'text' }, { text, truncated: true }) })} />)
    fireEvent.click(screen.getByRole('button', { expanded: false }))
    const shown = screen.getByRole('region', { name: 'Result' })
    expect(shown.textContent?.split('\n')).toHaveLength(200)
    fireEvent.click(screen.getByRole('button', { name: /Show the full result/ }))
    await waitFor(() => expect(screen.getByRole('region', { name: 'Result' }).textContent).toContain('the end'))
  })

  it('shows that the user changed the command', () => {
    const written = item('run_command', {
      arguments: '{"command":"rm -rf x"}',
      result: result({ kind: 'text' }, { arguments: { command: 'ls' } }),
    })
    render(<ToolCard item={written} />)
    expect(screen.getByTestId('tool-card').textContent).toContain('ls')
    fireEvent.click(screen.getByRole('button', { expanded: false }))
    expect(screen.getByText(/You edited the command/)).toBeTruthy()
  })

  it('shows the original name and arguments of a call to a tool of another system in its details', () => {
    const repaired = result({ kind: 'text' }, { arguments: { path: 'a.ts' }, repaired: true, ranTool: 'read_file' })
    render(<ToolCard item={item('Read', { arguments: '{"file_path":"a.ts"}', result: repaired })} />)
    fireEvent.click(screen.getByRole('button', { expanded: false }))
    expect(screen.getByText(/The model called/).textContent).toBe('The model called Read. Tizona ran read_file.')
    fireEvent.click(screen.getByRole('button', { name: 'Arguments' }))
    expect(screen.getByRole('region', { name: 'Arguments' }).textContent).toContain('"path"')
    expect(screen.getByRole('region', { name: 'Original arguments' }).textContent).toContain('file_path')
  })

  it('shows that arguments were repaired, and no note for an unchanged call', () => {
    render(<ToolCard item={item('read_file', { result: result({ kind: 'text' }, { repaired: true }) })} />)
    fireEvent.click(screen.getByRole('button', { expanded: false }))
    expect(screen.getByText(/repaired the arguments/)).toBeTruthy()
    cleanup()
    render(<ToolCard item={item('read_file', { result: result({ kind: 'text' }) })} />)
    fireEvent.click(screen.getByRole('button', { expanded: false }))
    expect(screen.queryByText(/repaired|The model called/)).toBeNull()
  })
})

it('a result from outside that addresses the model is marked on the closed card', () => {
  render(<ToolCard item={item('web_fetch', { result: result({ kind: 'text' }, { suspicions: ['addressed'] }) })} />)
  expect(screen.getByText(/The result contains text that addresses the model\./)).toBeTruthy()
})
