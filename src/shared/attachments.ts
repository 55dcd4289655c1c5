/** Mentions that are not files, folders or symbols. */
export const specialMentions = ['selection', 'terminal', 'diff', 'problems'] as const
export type SpecialMention = (typeof specialMentions)[number]

/** The content of a mention at the time the message was sent. */
export interface MentionAttachment {
  kind: 'file' | 'folder' | 'symbol' | SpecialMention
  /** Label below the message, e.g. `src/app.ts:10-20`. */
  label: string
  /** Workspace-relative path, if the attachment is in a file. */
  path?: string
  /** 1-based. */
  line?: number
  endLine?: number
  /** Text that is sent to the model. */
  text: string
  /** Describes what was truncated from `text`. */
  cut?: string
}

/** An attached picture. Its bytes are in the image store (history/images.ts). */
export interface ImageAttachment {
  kind: 'image'
  label: string
  /** SHA-256 of the bytes, hexadecimal. */
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

/** Maximum number of pictures in a message, and maximum size of one in bytes. */
export const maxImages = 8
export const maxImageBytes = 4 * 1024 * 1024
/** Maximum length of the longer side in pixels. The window scales larger pictures down; vision models use no more. */
export const maxImageSide = 1568

/** The source of instructions that were sent to the model. */
export interface InstructionSource {
  /** `skills`: the list of available skills. */
  kind: 'instructions' | 'rule' | 'skills'
  /** Unique id: the path, or `user:` and the name. */
  id: string
  label: string
  /** Workspace-relative path. Absent for files outside the workspace. */
  path?: string
  /** Number of characters that were sent. */
  characters: number
  /** Describes what was truncated, removed or unreadable. */
  note?: string
}
