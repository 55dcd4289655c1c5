import { z } from 'zod'
import { textFormat } from '../../shared/files/textFormat.ts'
import type { Blobs } from '../history/checkpoints/blobs.ts'
import type { Entry } from '../history/checkpoints/entries.ts'
import type { LayerDescription } from './layerDescription.ts'

/** The part of the blob store that reviews use. Checkpoints use the same store. */
export type StoredContents = Pick<Blobs, 'put' | 'get' | 'bytes'>

const contentSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing') }),
  z.object({ kind: z.literal('text'), hash: z.string(), format: textFormat, mode: z.number() }),
  z.object({ kind: z.literal('binary'), hash: z.string(), mode: z.number(), why: z.string().optional() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('unknown'), why: z.string() }),
])
export type StoredContent = z.output<typeof contentSchema>

/** Changes by the agent that left a layer and can return. */
const goneSchema = z.object({
  lines: z.array(z.object({ removed: z.string(), added: z.string(), before: z.string(), after: z.string() })),
  contents: z.array(z.object({ base: contentSchema, current: contentSchema, path: z.string().optional() })),
})
export const fileSchema = z.object({
  path: z.string(),
  current: contentSchema,
  layers: z.array(
    z.object({ turn: z.string().nullable(), path: z.string(), base: contentSchema, gone: goneSchema.optional() }),
  ),
  newFolders: z.array(z.string()),
  merged: z.array(z.string()).optional(),
})
/** A file review whose text is in the blob store. */
export type StoredFile = z.output<typeof fileSchema>

/** A layer as shown in the window; null without changes. */
export interface LayerView {
  turn: string | null
  /** Turns merged with this one. */
  merged?: readonly string[]
  view: LayerDescription | null
  /** The changes of this turn alone. Absent in rows of earlier versions. */
  own?: LayerDescription | null
}

/** A file's review with what its list entry needs, so that listing reads no text. */
export interface StoredReview {
  file: StoredFile
  views: LayerView[]
  /** Entry on disk when last read. */
  entry?: Entry
}
