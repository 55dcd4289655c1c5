import type { AssistantItem, SummaryItem, ToolItem, UserItem } from '../../shared/conversation.ts'
import type { ChatMessage } from '../model/clients/modelClient.ts'
/** A message and the item it was made of. */
export interface SourcedMessage {
  message: ChatMessage
  item?: UserItem | AssistantItem | ToolItem | SummaryItem
}
