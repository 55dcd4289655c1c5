/** What `@` can name in a message besides files, folders and symbols. */
export const specialMentions = ['selection', 'terminal', 'diff', 'problems'] as const
export type SpecialMention = (typeof specialMentions)[number]

/** A place or a text that a message carries, as it stood when the message was sent. */
export interface MentionAttachment {
  kind: 'file' | 'folder' | 'symbol' | SpecialMention
  /** As it is named under the message, e.g. `src/app.ts:10-20`. */
  label: string
  /** Relative to the workspace, where it leads to a place. */
  path?: string
  /** 1-based. */
  line?: number
  endLine?: number
  /** What the model reads. */
  text: string
  /** What was left out of `text` because it was too long, in words. */
  cut?: string
}

/** A picture that a message carries. Its bytes lie in the store of images (history/images.ts). */
export interface ImageAttachment {
  kind: 'image'
  label: string
  /** SHA-256 of its bytes, hexadecimal. */
  id: string
  mimeType: ImageType
  width: number
  height: number
  /** Bytes. */
  size: number
}

export type Attachment = MentionAttachment | ImageAttachment

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
export type ImageType = (typeof imageTypes)[number]

/** Pictures in one message, and bytes of one as it is stored and sent. Models scale them down to far less. */
export const maxImages = 8
export const maxImageBytes = 4 * 1024 * 1024
/** Pixels of a picture's longer side after the window scaled it down: what the larger vision models look at. */
export const maxImageSide = 1568

/** A text that the model was told beside the user's words: where it comes from. */
export interface InstructionSource {
  /** `skills`: the list of those that can be loaded. */
  kind: 'instructions' | 'rule' | 'skills'
  /** Tells it from all others: its path, or `user:` and its name. */
  id: string
  label: string
  /** Relative to the workspace; absent where it lies elsewhere. */
  path?: string
  /** Of the text that was told. */
  characters: number
  /** What was cut, removed or could not be read, in words. */
  note?: string
}
