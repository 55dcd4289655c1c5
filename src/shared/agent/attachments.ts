/** Mentions that are not files, folders or symbols. */
export const specialMentions = ['selection', 'terminal', 'diff', 'problems'] as const
export type SpecialMention = (typeof specialMentions)[number]

/** A mention's content at the time the message was sent. */
export interface MentionAttachment {
  kind: 'file' | 'folder' | 'symbol' | 'resource' | SpecialMention
  /** Shown below the message, e.g. `src/app.ts:10-20`. */
  label: string
  /** Workspace-relative path. Absent for the terminal, the diff and all problems. */
  path?: string
  /** 1-based. */
  line?: number
  endLine?: number
  /** Text that is sent to the model. */
  text: string
  /** Describes what `text` leaves out. */
  cut?: string
}

/** An attached picture. Its bytes are in the image store (history/images.ts). */
export interface ImageAttachment {
  kind: 'image'
  label: string
  /** SHA-256 of the bytes in hexadecimal. */
  id: string
  mimeType: ImageType
  width: number
  height: number
  /** Size of the file in bytes. */
  size: number
}

export type Attachment = MentionAttachment | ImageAttachment

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
export type ImageType = (typeof imageTypes)[number]

/** Maximum number of pictures in a message. */
export const maxImages = 8
/** Maximum size of a picture in bytes. */
export const maxImageBytes = 4 * 1024 * 1024
/** Maximum length of the longer side in pixels. Larger pictures are scaled down, because vision models use no more. */
export const maxImageSide = 1568

/** A file or setting with instructions that were sent to the model. */
export interface InstructionSource {
  /** `skills`: the list of available skills. */
  kind: 'instructions' | 'rule' | 'skills'
  /** Unique id: the path, or `user:` and the name. */
  id: string
  label: string
  /** Workspace-relative path. Absent for files outside the workspace. */
  path?: string
  /** Number of characters that were sent to the model. */
  characters: number
  /** Explains why content is missing: truncated, removed or unreadable. */
  note?: string
}
