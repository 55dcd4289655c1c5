import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { ConversationSnapshot } from '../../../shared/agent/conversation.ts'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { useApp } from '../../platform/appState.ts'
import { runCommand } from '../../platform/commands.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain } from '../../testing/testMain.ts'
import { registerChat } from '../chatCommands.ts'
import { ApprovalDock } from './ApprovalDock.tsx'

afterEach(cleanup)

const request = (id: string, conversationId: string, requestedAt: number): ApprovalRequest => ({
  id,
  conversationId,
  callId: id,
  tool: 'run_command',
  title: id,
  risk: 'execute',
  mode: 'safe',
  reason: 'Safe mode asks.',
  destructive: [],
  arguments: {},
  command: 'ls',
  grantable: { exact: true, prefix: true },
  requestedAt,
})
const conversation = (id: string): ConversationSnapshot => ({
  info: { id, title: id, createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
  items: [],
  running: true,
  queue: [],
})

it('a notification opens the conversation of its call, past cards of other ones and of the sessions view', async () => {
  const main = testMain()
  main.responses['conversations.open'] = ({ id }) => conversation(id)
  const stop = registerChat()
  useApp.setState({ state: { workspace: { root: '/w', name: 'w' } } as AppState })
  showConversation(conversation('first'))
  useChat.setState({ approvals: [request('r1', 'first', 1), request('r2', 'second', 2)] })
  render(
    <>
      <div className="sessions">
        <section data-testid="approval-card" data-request="r2" tabIndex={-1} />
      </div>
      <ApprovalDock onFocusLost={() => undefined} />
    </>,
  )
  runCommand('approval.focus', 'r2')
  await waitFor(() => expect(useChat.getState().info?.id).toBe('second'))
  const own = () => screen.getAllByTestId('approval-card').find((card) => card.closest('.sessions') === null)
  await waitFor(() => expect(document.activeElement).toBe(own()))
  expect(own()?.dataset['request']).toBe('r2')
  stop()
})
