import type { Attachment } from '../../../shared/agent/attachments.ts'
import type { ToolItem } from '../../../shared/agent/conversation.ts'
import type { Images } from '../../history/images.ts'
import type { ChatMessage, ModelImage } from '../../model/modelClient.ts'

/** Returns references to a message's images. `loadImages` adds their bytes. */
export function imageReferences(attachments: readonly Attachment[] | undefined): { images?: ModelImage[] } {
  const images = (attachments ?? []).flatMap((attachment) =>
    attachment.kind === 'image' ? [{ id: attachment.id, label: attachment.label, mimeType: attachment.mimeType }] : [],
  )
  return images.length === 0 ? {} : { images }
}

/** Returns the pictures in the result of a call, unless the result was left out to save room. */
export function resultImages({ id, name, result, keep }: ToolItem): ModelImage[] {
  if (!result?.ok || result.view.kind !== 'pictures' || keep === 0) return []
  return result.view.pictures.map((picture, at) => ({ ...picture, id: `${id}:${at}`, label: `Picture from ${name}` }))
}

/**
 * Adds the bytes of images to messages. A note replaces images that are no longer stored, and all images if the model
 * does not support images, because the conversation may have started with another model.
 * @param supportsImages undefined if unknown: then only the user's pictures are sent, not those in results
 */
export function loadImages(
  messages: readonly ChatMessage[],
  images: Pick<Images, 'read'>,
  supportsImages: boolean | undefined,
): ChatMessage[] {
  const stored = ({ id }: ModelImage) => (supportsImages === false ? undefined : images.read(id)?.base64)
  const noteFor = ({ label }: ModelImage) =>
    supportsImages === undefined
      ? `[The image "${label}" is not shown: it is not known whether this model supports images.]`
      : supportsImages
        ? `[The image "${label}" is no longer stored.]`
        : `[The image "${label}" is not shown: this model does not support images.]`
  return messages.map((message) => {
    if (message.role !== 'user' || !message.images) return message
    const { images: references, ...rest } = message
    const loaded = references.map((image) => ({
      ...image,
      data: image.data === undefined ? stored(image) : supportsImages ? image.data : undefined,
    }))
    const missing = loaded.filter(({ data }) => data === undefined)
    const content = [rest.content, ...missing.map(noteFor)].join('\n\n')
    const shown = loaded.filter(({ data }) => data !== undefined)
    return { ...rest, content, ...(shown.length > 0 && { images: shown }) }
  })
}
