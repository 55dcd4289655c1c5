import { elementText, type Attachment } from '../../shared/agent/attachments.ts'
import { ToolError } from '../../shared/errors.ts'
import type { HandledParams } from '../../shared/bridge/protocol.ts'
import type { MentionContent, MentionServices } from '../agent/conversation/mentionReader.ts'
import { collectAttachments } from '../agent/conversation/messageAttachments.ts'
import type { ConversationStore } from '../history/conversations.ts'
import type { Images } from '../history/images.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import type { ToolServices } from '../tools/common/toolDefinition.ts'

/** A message as sent by the window. */
export type OutgoingMessage = Omit<HandledParams<'conversations.send'>, 'id'>

/** Reads the files, images and other context mentioned in a message. */
export type MessageCollector = (
  conversationId: string,
  message: OutgoingMessage,
  signal: AbortSignal,
) => Promise<Attachment[]>

interface MessageCollectorDeps {
  store: Pick<ConversationStore, 'get'>
  endpoints: Pick<Endpoints, 'defaultModel' | 'modelInfo'>
  images: Images
  /** Returns the services of the open folder. @throws ToolError no_workspace */
  services(): ToolServices
  readResource: MentionServices['readResource']
}

/**
 * Creates the collector of attachments. It rejects with `invalid_arguments` if the message has images and the
 * conversation's model does not support them.
 */
export function createMessageCollector({
  store,
  endpoints,
  images,
  services,
  readResource,
}: MessageCollectorDeps): MessageCollector {
  return async (conversationId, { text, chosen, mentions, images: pictures = [], elements = [] }, signal) => {
    const choice = store.get(conversationId).model ?? endpoints.defaultModel()
    const model = choice && endpoints.modelInfo(choice)
    if (pictures.length > 0 && model?.vision === false) {
      throw new ToolError(
        'invalid_arguments',
        `${model.id} does not support images, so nothing was sent.`,
        'Remove the image, or choose a model that supports images.',
      )
    }
    const attached = pictures.map(({ id, label, fromPage }) => ({
      ...images.describe(id, label),
      ...(fromPage && { fromPage }),
    }))
    return collectAttachments(
      {
        text,
        chosen,
        mentions,
        images: attached,
        elements: elements.map((element) => elementContent(element, images, model?.vision !== false)),
      },
      () => ({
        ...services(),
        readResource,
        addPicture: (label, bytes) => (model?.vision === false ? undefined : images.add(label, bytes)),
      }),
      model?.contextWindow,
      signal,
    )
  }
}

function elementContent(
  { label, path, line, text, note, picture }: NonNullable<OutgoingMessage['elements']>[number],
  images: Images,
  canSee: boolean,
): MentionContent {
  return {
    kind: 'element',
    label,
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    text: elementText({ note, text }),
    ...(picture && canSee && { pictures: [images.describe(picture.id, picture.label)] }),
  }
}
