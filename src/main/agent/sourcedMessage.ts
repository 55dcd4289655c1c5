import type { AssistantItem, SummaryItem, ToolItem, UserItem } from '../../shared/agent/conversation.ts'
import type { ChatMessage } from '../model/clients/modelClient.ts'

/** A message of a request, with the conversation item that it was created from. */
export interface SourcedMessage {
  message: ChatMessage
  item?: UserItem | AssistantItem | ToolItem | SummaryItem
}
