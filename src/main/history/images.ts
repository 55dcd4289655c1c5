import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { imageTypes, maxImageBytes, type ImageAttachment } from '../../shared/attachments.ts'
import type { ConversationItem } from '../../shared/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import { imageFacts } from './imageKind.ts'
import { createPruner, type Retention } from './retention.ts'
import { statement } from './sqlStatement.ts'
import { formatNumber } from '../../shared/formatNumber.ts'

const megabyte = 1024 * 1024
/** A few bytes may claim a picture that takes gigabytes once it is drawn; a camera's have 60 million pixels. */
const mostPixels = 100_000_000
/** The oldest go first. */
const kept: Retention = { rows: 2_000, bytes: 512 * megabyte }

/** The pictures of conversations, apart from their items, which only name them. */
export interface Images {
  /**
   * Keeps a picture under the hash of its bytes.
   * Throws `invalid_arguments` for what is no PNG, JPEG, WebP or GIF, `too_large` over 4 MB.
   */
  add(label: string, bytes: Uint8Array): ImageAttachment
  /** Throws `not_found` for one that is not kept any more. */
  describe(id: string, label: string): ImageAttachment
  /** Undefined when it is not kept any more. */
  read(id: string): { mimeType: string; base64: string } | undefined
  /** Forgets those of them that no conversation names any more. */
  release(ids: readonly string[]): void
}

/** The store of pictures in an opened database (history/database.ts). */
export function createImages(db: DatabaseSync, keep: Retention = kept): Images {
  const insert = statement(
    db,
    `INSERT INTO images (id, at, bytes, mime_type, width, height, data) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
  )
  const facts = statement(db, 'SELECT mime_type, width, height, bytes FROM images WHERE id = ?')
  const select = statement(db, 'SELECT mime_type, data FROM images WHERE id = ?')
  // Items come first in the join, so each is read once however many pictures are released; only those with a picture are searched for the ids.
  const remove = statement(
    db,
    `DELETE FROM images WHERE id IN (SELECT value FROM json_each(?1)) AND id NOT IN (
       SELECT released.value FROM items CROSS JOIN json_each(?1) AS released
       WHERE instr(items.json, '"kind":"image"') > 0 AND instr(items.json, released.value) > 0
       UNION ALL SELECT waiting.value FROM conversations CROSS JOIN json_each(?1) AS waiting WHERE instr(conversations.queue, waiting.value) > 0)`,
  )
  const prune = createPruner(db, 'images', keep)

  const images: Images = {
    add(label, bytes) {
      const found = imageFacts(bytes)
      if (!found)
        throw new ToolError(
          'invalid_arguments',
          `"${label}" is no picture that models take.`,
          'Use PNG, JPEG, WebP or GIF.',
        )
      if (bytes.length > maxImageBytes)
        throw new ToolError(
          'too_large',
          `"${label}" has ${formatNumber(bytes.length / megabyte, 1)} MB, more than the ${maxImageBytes / megabyte} MB of one picture.`,
          'Make it smaller.',
        )
      if (found.width * found.height > mostPixels)
        throw new ToolError(
          'too_large',
          `"${label}" claims ${found.width} × ${found.height} pixels, more than a window can show.`,
          'Make it smaller.',
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
        throw new ToolError('not_found', `The picture "${label}" is not kept any more.`, 'Attach it again.')
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

/** Of the pictures that an item names. */
export function imageIds(item: ConversationItem): string[] {
  return item.kind === 'user'
    ? (item.attachments ?? []).flatMap((attachment) => (attachment.kind === 'image' ? [attachment.id] : []))
    : []
}
