import { useApp } from '../platform/appState.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { currentModel } from '../platform/conversation/currentModel.ts'
import { useTools } from '../platform/conversation/toolsStore.ts'
import { askForTries } from '../platform/sessions/taskTries.ts'
import { attachmentsOf, removePicture } from './composer/draftAttachments.ts'
import { newDraft, setDraft, useChatView } from './chatViewStore.ts'

/** Offers to give the message in the composer to several sessions. It stays in the composer until they have started. */
export function trySeveralTimes(): void {
  const { info } = useChat.getState()
  const id = info?.id ?? newDraft
  const prompt = useChatView.getState().drafts[id] ?? ''
  const { pictures, elements = [] } = attachmentsOf(id)
  askForTries({
    prompt,
    mode: info?.mode ?? useApp.getState().state?.settings.mode ?? 'safe',
    model: currentModel(),
    toolset: info?.toolset ?? useTools.getState().toolset ?? undefined,
    pictures,
    elements: elements.length,
    onStarted() {
      for (const picture of pictures) removePicture(id, picture.id)
      if (useChatView.getState().drafts[id] === prompt) setDraft(id, '')
    },
  })
}
