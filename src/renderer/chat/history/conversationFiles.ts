import type { ExportFormat } from '../../../shared/agent/conversation.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { downloadFile } from '../../platform/files/downloadFile.ts'
import { attempt } from '../../platform/notices.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { useChatView } from '../chatViewStore.ts'

/** Exports a conversation as a file download. */
export function exportConversation(id: string, format: ExportFormat): void {
  attempt(async () => {
    const { name, text } = await request('conversations.export', { id, format })
    downloadFile(name, text, format === 'json' ? 'application/json' : 'text/markdown')
  }, 'The conversation could not be exported')
}

export function exportOpenConversation(format: ExportFormat): void {
  const id = useChat.getState().info?.id
  if (id) exportConversation(id, format)
}

/** Lets the user choose an exported JSON file, imports its conversation into this folder and shows it. */
export function importConversation(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.json,application/json'
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (!file) return
    attempt(async () => {
      showConversation(await request('conversations.import', { text: await file.text() }))
      useChatView.setState({ history: false })
    }, 'The conversation could not be imported')
  })
  input.click()
}
