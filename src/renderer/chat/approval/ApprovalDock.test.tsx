import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../shared/approval.ts'
import { useConsoleCalls } from '../../console/consoleStore.ts'
import { emptyChat, restoreChat, useChat } from '../chatStore.ts'
import { testMain } from '../testMain.ts'
import { ApprovalDock } from './ApprovalDock.tsx'

/** The question of a call made in the console: of no conversation. */
const request: ApprovalRequest = {
  id: 'r1',
  callId: 'console-1',
  tool: 'write_file',
  title: 'Write file',
  risk: 'write',
  mode: 'safe',
  reason: 'Safe mode asks.',
  arguments: { path: 'a.txt' },
  destructive: [],
  grantable: { exact: true, prefix: true },
  requestedAt: 1,
}

beforeEach(() => {
  testMain()
  useChat.setState(emptyChat, true)
  useConsoleCalls.setState({ calls: {}, shown: null })
})
afterEach(cleanup)

it('shows the question of a console call that this window did not make, as after a reload', () => {
  restoreChat({ conversation: null, approvals: [request], workspace: null })
  render(<ApprovalDock onFocusLost={() => {}} />)
  expect(screen.getByTestId('approval-card').textContent).toContain('Write file')
})

it('leaves the question of its own call to the console', () => {
  useConsoleCalls.setState({
    calls: { 'console-1': { callId: 'console-1', tool: 'write_file', arguments: {}, startedAt: 1, state: 'running' } },
  })
  restoreChat({ conversation: null, approvals: [request], workspace: null })
  render(<ApprovalDock onFocusLost={() => {}} />)
  expect(screen.queryByTestId('approval-card')).toBeNull()
})
