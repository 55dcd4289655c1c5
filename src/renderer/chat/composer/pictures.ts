import { imageTypes, maxImageBytes, maxImages, maxImageSide } from '../../../shared/attachments.ts'
import { ToolError } from '../../../shared/errors.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'
import { addPicture, attachmentsOf } from './draftAttachments.ts'

/** Bytes of a file that is scaled down; a larger one would not fit the memory of the window. */
const maxSource = 50 * 1024 * 1024

/** The picture files of a paste, a drop or a file dialog. */
export function pictureFiles(files: Iterable<File>): File[] {
  return [...files].filter(({ type }) => type.startsWith('image/'))
}

/** Takes pictures into the message that is being written; one that cannot be taken is said. */
export function takePictures(conversationId: string, files: readonly File[]): void {
  attempt(async () => {
    for (const file of files) {
      if (attachmentsOf(conversationId).pictures.length >= maxImages) {
        throw new ToolError('invalid_arguments', `A message takes ${maxImages} pictures at most.`, 'Remove one first.')
      }
      const label = (file.name || 'picture.png').slice(-200)
      addPicture(conversationId, await request('images.add', { label, data: await toBase64(await fitting(file)) }))
    }
  }, 'The picture could not be attached')
}

/** The file itself where models take it as it is, else drawn anew: smaller, and as PNG or JPEG. */
async function fitting(file: File): Promise<Blob> {
  if (file.size > maxSource)
    throw new ToolError('too_large', `"${file.name}" is larger than 50 MB.`, 'Make it smaller first.')
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new ToolError(
      'invalid_arguments',
      `"${file.name}" is no picture that can be read.`,
      'Use PNG, JPEG, WebP or GIF.',
    )
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
  if (!context) throw new ToolError('io_error', 'This window cannot draw pictures.', 'Attach a smaller one.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type, quality: 0.85 })
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
