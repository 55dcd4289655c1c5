import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { ElementAttachment } from '../../shared/agent/attachments.ts'
import type { TourStart } from '../../shared/bridge/appState.ts'
import { on } from '../platform/bridge/bridge.ts'
import { followEndpoints, loadEndpoints } from '../platform/models/endpointsStore.ts'
import { searchForServers } from '../platform/models/serverDiscovery.ts'
import { folderChange, onAppState } from '../platform/appState.ts'
import { handleCommand } from '../platform/commands.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { showChat } from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import * as actions from './chatActions.ts'
import { openConversation } from './chatActions.ts'
import { currentModel } from '../platform/conversation/currentModel.ts'
import { chatEvents, restoreChat, useChat } from '../platform/conversation/chatStore.ts'
import { followApprovalNotifications } from './approval/browserNotifications.ts'
import { addFileToChat, addSelectionToChat, hasFocusedSelection, mentionSelection } from './selectionMention.ts'
import { addElement } from './composer/draftAttachments.ts'
import { focusComposer, newDraft, useChatView } from './chatViewStore.ts'
import { addTextToDraft, suggestMessage, type AddedText } from './draftText.ts'
import { moveDraft } from './draftStorage.ts'
import { focusAfterRender } from '../platform/layout/focusRegions.ts'

/** Modules that load when their first command runs. */
const pickers = () => import('./pickers.ts')
const files = () => import('./history/conversationFiles.ts')

/**
 * Registers the chat's commands and subscribes to conversation events. Called once at start, before the panel loads.
 * @returns a function that unregisters them
 */
export function registerChat(): () => void {
  attempt(() => loadEndpoints(false))
  const stops = [
    onAppState((state) => {
      const before = useChat.getState().info?.id ?? newDraft
      restoreChat(state)
      // The conversation goes on as a copy that has the new paths.
      if (folderChange.from) moveDraft(before, useChat.getState().info?.id ?? newDraft)
    }),
    on('conversation.info', chatEvents['conversation.info']),
    on('conversation.item', chatEvents['conversation.item']),
    on('conversation.delta', chatEvents['conversation.delta']),
    on('conversation.truncated', chatEvents['conversation.truncated']),
    on('conversation.status', chatEvents['conversation.status']),
    on('conversation.turnEnded', chatEvents['conversation.turnEnded']),
    on('approval.requested', chatEvents['approval.requested']),
    on('approval.resolved', chatEvents['approval.resolved']),
    followApprovalNotifications(),
    on('tool.progress', chatEvents['tool.progress']),
    followEndpoints(),
    searchForServers(() => currentModel()?.endpointId),

    handleCommand('chat.trySeveralTimes', async () => (await import('./trySeveralTimes.ts')).trySeveralTimes()),
    handleCommand('chat.focus', () => {
      showChat()
      if (hasFocusedSelection()) mentionSelection()
      focusComposer()
    }),
    contributeEditorExtension(async () => (await import('./editorContextMenu.ts')).addChatItems),
    handleCommand('chat.addSelection', addSelectionToChat),
    handleCommand('chat.addFile', (path) => addFileToChat(typeof path === 'string' ? path : undefined)),
    handleCommand('chat.addText', (added) => {
      showChat()
      // src/shared/editor/commandsAndKeybindings.ts declares this argument type.
      addTextToDraft(added as AddedText)
    }),
    handleCommand('chat.suggest', (text) => {
      showChat()
      suggestMessage(String(text))
    }),
    handleCommand('chat.addPicture', async (picture) => {
      if (!(picture instanceof File)) return
      showChat()
      const { attachPictures } = await import('./composer/pictures.ts')
      attachPictures(useChat.getState().info?.id ?? newDraft, [picture], true)
      focusComposer()
    }),
    handleCommand('chat.addElement', (element) => {
      showChat()
      // src/shared/editor/commands/chatCommands.ts declares this argument type.
      addElement(useChat.getState().info?.id ?? newDraft, element as ElementAttachment)
    }),
    handleCommand('approval.focus', (requestId) => {
      showChat()
      return focusApproval(requestId)
    }),
    handleCommand('chat.new', async () => {
      showChat()
      await actions.startConversation()
    }),
    handleCommand('chat.show', async (id) => {
      showChat()
      useChatView.setState({ history: false })
      await openConversation(String(id))
      focusComposer()
    }),
    handleCommand('chat.history', () => {
      showChat()
      useChatView.setState({ history: true })
    }),
    handleCommand('chat.find', () => {
      showChat()
      useChatView.setState({ history: false, finding: true })
    }),
    handleCommand('chat.exportMarkdown', async () => (await files()).exportOpenConversation('markdown')),
    handleCommand('chat.exportJson', async () => (await files()).exportOpenConversation('json')),
    handleCommand('chat.import', async () => {
      showChat()
      ;(await files()).importConversation()
    }),
    handleCommand('chat.stop', actions.stop),
    handleCommand('chat.retry', actions.retry),
    handleCommand('chat.pickModel', async () => (await pickers()).chooseModel()),
    handleCommand('chat.pickMode', async () => (await pickers()).chooseMode()),
    handleCommand('chat.pickToolset', async () => (await pickers()).chooseToolset()),
    handleCommand('chat.pickProfile', async () => (await pickers()).chooseProfile()),
    handleCommand('chat.compact', actions.compact),
    handleCommand('chat.startTour', async (tour) => {
      showChat()
      // src/shared/editor/commandsAndKeybindings.ts declares this argument type.
      await (await import('./chatTour.ts')).startTour(tour as TourStart)
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Finds the card of a request, by default any. Those of the sessions view have a command of their own. */
function card(requestId?: string): HTMLElement | undefined {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-testid="approval-card"]')]
  return cards.find(
    (each) => each.closest('.sessions') === null && (requestId ?? each.dataset['request']) === each.dataset['request'],
  )
}

/** Focuses the card of a pending approval, by default the first one. Opens its conversation first if necessary. */
async function focusApproval(requestId: unknown): Promise<void> {
  const { approvals, info } = useChat.getState()
  const wanted = approvals.find(({ id }) => id === requestId)
  const shown = card(wanted?.id)
  if (shown) return shown.focus()
  const isElsewhere = ({ conversationId }: ApprovalRequest) =>
    conversationId !== undefined && conversationId !== info?.id
  const elsewhere = wanted ? [wanted].find(isElsewhere) : approvals.find(isElsewhere)
  if (elsewhere?.conversationId !== undefined) await openConversation(elsewhere.conversationId)
  await (await import('./ChatPanel.tsx')).preloadCards()
  // An older request of the conversation is answered first.
  focusAfterRender(() => (card(wanted?.id) ?? card())?.focus())
}
