import { imageTypes, maxImageBytes, maxImageSide } from '../../../shared/agent/attachments.ts'
import { ToolError } from '../../../shared/errors.ts'
import { toBase64 } from '../../platform/files/base64.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'
import { addPicture, attachmentsOf, checkCounts } from './draftAttachments.ts'

/** Maximum size in bytes of a picture before it is scaled down. Decoding a larger one could exhaust memory. */
const maxSourceBytes = 50 * 1024 * 1024

/** Selects the image files from a paste, a drop or a file dialog. */
export function pictureFiles(files: Iterable<File>): File[] {
  return [...files].filter(({ type }) => type.startsWith('image/'))
}

/** Attaches pictures to the draft. Shows a notice if one cannot be attached. @param fromPage whether they show a page */
export function attachPictures(conversationId: string, files: readonly File[], fromPage = false): void {
  attempt(async () => {
    for (const file of files) {
      checkCounts({ pictures: attachmentsOf(conversationId).pictures.length + 1 })
      const label = (file.name || 'picture.png').slice(-200)
      const stored = await request('images.add', { label, data: await toBase64(await toAcceptedImage(file)) })
      addPicture(conversationId, { ...stored, ...(fromPage && { fromPage }) })
    }
  }, 'The image could not be attached')
}

/**
 * Returns the file itself if it is within the limits, otherwise a scaled-down PNG or JPEG.
 * @throws ToolError if it is not a picture
 */
async function toAcceptedImage(file: File): Promise<Blob> {
  if (file.size > maxSourceBytes)
    throw new ToolError('too_large', `"${file.name}" is larger than 50 MB.`, 'Choose a smaller image.')
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new ToolError('invalid_arguments', `"${file.name}" is not a readable image.`, 'Use PNG, JPEG, WebP or GIF.')
  })
  try {
    const scale = Math.min(1, maxImageSide / Math.max(bitmap.width, bitmap.height))
    const known = imageTypes.some((type) => type === file.type)
    if (known && scale === 1 && file.size <= maxImageBytes) return file
    const drawn = await draw(bitmap, scale, file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png')
    return drawn.size <= maxImageBytes ? drawn : await draw(bitmap, scale, 'image/jpeg')
  } finally {
    bitmap.close()
  }
}

async function draw(bitmap: ImageBitmap, scale: number, type: 'image/png' | 'image/jpeg'): Promise<Blob> {
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(bitmap.width * scale)),
    Math.max(1, Math.round(bitmap.height * scale)),
  )
  const context = canvas.getContext('2d')
  if (!context) throw new ToolError('io_error', 'The image could not be scaled down.', 'Attach a smaller one.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type, quality: 0.85 })
}
