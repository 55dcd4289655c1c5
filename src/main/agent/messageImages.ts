import type { Attachment } from '../../shared/attachments.ts'
import type { Images } from '../history/images.ts'
import type { ChatMessage, ModelImage } from '../model/clients/modelClient.ts'

/** Returns references to a message's images. `loadImages` adds their bytes. */
export function imageReferences(attachments: readonly Attachment[] | undefined): { images?: ModelImage[] } {
  const images = (attachments ?? []).flatMap((attachment) =>
    attachment.kind === 'image' ? [{ id: attachment.id, label: attachment.label, mimeType: attachment.mimeType }] : [],
  )
  return images.length === 0 ? {} : { images }
}

/**
 * Adds the bytes of images to messages. A note replaces images that are no longer stored, and all images if
 * the model does not support images, because the conversation may have started with another model.
 */
export function loadImages(
  messages: readonly ChatMessage[],
  images: Pick<Images, 'read'>,
  supportsImages: boolean,
): ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== 'user' || !message.images) return message
    const { images: references, ...rest } = message
    const loaded = references.map((image) => ({
      ...image,
      data: supportsImages ? images.read(image.id)?.base64 : undefined,
    }))
    const missing = loaded.filter(({ data }) => data === undefined)
    const why = supportsImages ? 'is no longer stored' : 'is not shown: this model does not support images'
    const content = [rest.content, ...missing.map(({ label }) => `[The image "${label}" ${why}.]`)].join('\n\n')
    const shown = loaded.filter(({ data }) => data !== undefined)
    return { ...rest, content, ...(shown.length > 0 && { images: shown }) }
  })
}
