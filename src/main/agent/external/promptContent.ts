import type { Attachment } from '../../../shared/agent/attachments.ts'
import type { AgentConnection, ContentBlock } from '../../acp/agentTypes.ts'
import type { Images } from '../../history/images.ts'

/** Returns a message with its attachments in the forms that the agent supports. */
export function promptContent(
  text: string,
  attachments: readonly Attachment[],
  { capabilities: { promptCapabilities } }: Pick<AgentConnection, 'capabilities'>,
  images: Pick<Images, 'read'>,
): ContentBlock[] {
  const blocks: ContentBlock[] = [{ type: 'text', text }]
  for (const attachment of attachments) {
    if (attachment.kind === 'image') {
      const data = promptCapabilities?.image ? images.read(attachment.id)?.base64 : undefined
      blocks.push(
        data === undefined
          ? { type: 'text', text: `[The image "${attachment.label}" is not shown.]` }
          : { type: 'image', data, mimeType: attachment.mimeType },
      )
    } else if (promptCapabilities?.embeddedContext) {
      blocks.push({
        type: 'resource',
        resource: { uri: `tizona:${encodeURI(attachment.label)}`, text: attachment.text },
      })
    } else {
      blocks.push({ type: 'text', text: `${attachment.label}:\n${attachment.text}` })
    }
  }
  return blocks
}
