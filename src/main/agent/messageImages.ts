import type { Attachment } from '../../shared/attachments.ts'
import type { Images } from '../history/images.ts'
import type { ChatMessage, ModelImage } from '../model/clients/modelClient.ts'

/** A message's pictures as a request names them, their bytes still to come (`loadImages`). */
export function namedImages(attachments: readonly Attachment[] | undefined): { images?: ModelImage[] } {
  const images = (attachments ?? []).flatMap((attachment) =>
    attachment.kind === 'image' ? [{ id: attachment.id, label: attachment.label, mimeType: attachment.mimeType }] : [],
  )
  return images.length === 0 ? {} : { images }
}

/**
 * The messages with the bytes of their pictures. In place of one that is not kept any more, and of all where the model is known not to
 * see, stands a word that says so: a request must not fail over what was sent to another model.
 */
export function loadImages(
  messages: readonly ChatMessage[],
  images: Pick<Images, 'read'>,
  sees: boolean,
): ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== 'user' || !message.images) return message
    const { images: named, ...rest } = message
    const loaded = named.map((image) => ({ ...image, data: sees ? images.read(image.id)?.base64 : undefined }))
    const missing = loaded.filter(({ data }) => data === undefined)
    const why = sees ? 'is not kept any more' : 'is not shown: this model cannot see'
    const content = [rest.content, ...missing.map(({ label }) => `[The picture "${label}" ${why}.]`)].join('\n\n')
    const shown = loaded.filter(({ data }) => data !== undefined)
    return { ...rest, content, ...(shown.length > 0 && { images: shown }) }
  })
}
