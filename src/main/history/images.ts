import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { imageTypes, maxImageBytes, type ImageAttachment } from '../../shared/agent/attachments.ts'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import { readImageInfo } from './imageInfo.ts'
import { createPruner, type Retention } from './pruneTable.ts'
import { statement } from './sqlStatement.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'

const megabyte = 1024 * 1024
/** Maximum number of pixels, because a small file can contain an image that takes gigabytes to draw. */
const maxPixels = 100_000_000
/** Default limits. The oldest images are deleted first. */
const defaultRetention: Retention = { rows: 2_000, bytes: 512 * megabyte }

/** Images in conversations, stored separately from the items that refer to them. */
export interface Images {
  /**
   * Stores an image under the hash of its bytes.
   * @throws ToolError `invalid_arguments` for types other than PNG, JPEG, WebP and GIF; `too_large` over 4 MB
   */
  add(label: string, bytes: Uint8Array): ImageAttachment
  /** Returns a stored image as an attachment. @throws ToolError `not_found` if it was deleted */
  describe(id: string, label: string): ImageAttachment
  /** Returns the bytes of an image; undefined if it was deleted. */
  read(id: string): { mimeType: string; base64: string } | undefined
  /** Deletes the given images, except those that a conversation refers to. */
  release(ids: readonly string[]): void
}

/** Creates the image store in an open database (history/database.ts). */
export function createImages(db: DatabaseSync, retention: Retention = defaultRetention): Images {
  const insert = statement(
    db,
    `INSERT INTO images (id, at, bytes, mime_type, width, height, data) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
  )
  const facts = statement(db, 'SELECT mime_type, width, height, bytes FROM images WHERE id = ?')
  const select = statement(db, 'SELECT mime_type, data FROM images WHERE id = ?')
  // Items come first in the join, so each is read once whatever the number of released images. Only items with an image
  // are searched.
  const remove = statement(
    db,
    `DELETE FROM images WHERE id IN (SELECT value FROM json_each(?1)) AND id NOT IN (
       SELECT released.value FROM items CROSS JOIN json_each(?1) AS released
       WHERE instr(items.json, '"kind":"image"') > 0 AND instr(items.json, released.value) > 0
       UNION ALL SELECT waiting.value FROM conversations CROSS JOIN json_each(?1) AS waiting WHERE instr(conversations.queue, waiting.value) > 0)`,
  )
  const prune = createPruner(db, 'images', retention)

  const images: Images = {
    add(label, bytes) {
      const found = readImageInfo(bytes)
      if (!found)
        throw new ToolError('invalid_arguments', `"${label}" is not a supported image.`, 'Use PNG, JPEG, WebP or GIF.')
      if (bytes.length > maxImageBytes)
        throw new ToolError(
          'too_large',
          `"${label}" is ${formatNumber(bytes.length / megabyte, 1)} MB, more than the maximum of ${maxImageBytes / megabyte} MB.`,
          'Use a smaller image.',
        )
      if (found.width * found.height > maxPixels)
        throw new ToolError(
          'too_large',
          `"${label}" has ${found.width} × ${found.height} pixels, more than Tizona can show.`,
          'Use a smaller image.',
        )
      const id = createHash('sha256').update(bytes).digest('hex')
      insert.run(id, Date.now(), bytes.length, found.mimeType, found.width, found.height, bytes)
      prune()
      return images.describe(id, label)
    },
    describe(id, label) {
      const row = facts.get(id)
      const mimeType = imageTypes.find((type) => type === row?.mime_type)
      if (!row || !mimeType)
        throw new ToolError('not_found', `The image "${label}" is no longer stored.`, 'Attach it again.')
      return {
        kind: 'image',
        label,
        id,
        mimeType,
        width: Number(row.width),
        height: Number(row.height),
        size: Number(row.bytes),
      }
    },
    read(id) {
      const row = select.get(id)
      return row?.data instanceof Uint8Array
        ? { mimeType: String(row.mime_type), base64: Buffer.from(row.data).toString('base64') }
        : undefined
    },
    release(ids) {
      if (ids.length > 0) remove.run(JSON.stringify(ids))
    },
  }
  return images
}

/** Returns the ids of an item's images. */
export function imageIds(item: ConversationItem): string[] {
  return item.kind === 'user'
    ? (item.attachments ?? []).flatMap((attachment) => (attachment.kind === 'image' ? [attachment.id] : []))
    : []
}
