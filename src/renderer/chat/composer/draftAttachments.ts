import { create } from 'zustand'
import {
  maxElements,
  maxImages,
  type ElementAttachment,
  type ImageAttachment,
} from '../../../shared/agent/attachments.ts'
import { ToolError } from '../../../shared/errors.ts'

export interface DraftAttachments {
  /** Mentions chosen from the menu, as written in the text. Main rejects the message if one no longer resolves. */
  chosen: readonly string[]
  /** Mentions in pasted text, which the user did not make (pastedMentions.ts). */
  pasted: readonly string[]
  pictures: readonly ImageAttachment[]
  /** Elements of a page. Absent in drafts that an earlier version stored. */
  elements?: readonly ElementAttachment[]
  /**
   * Slash command of the MCP server prompt that began the text. Kept until the draft is sent, whatever the user
   * changes.
   */
  serverPrompt?: string
}

const none: DraftAttachments = { chosen: [], pasted: [], pictures: [] }

/** Attachments of each draft by conversation id. */
export const useDraftAttachments = create<{ byConversation: Readonly<Record<string, DraftAttachments>> }>()(() => ({
  byConversation: {},
}))

/** Checks how many a message has. @throws ToolError invalid_arguments if there are too many */
export function checkCounts({ pictures = 0, elements = 0 }: { pictures?: number; elements?: number }): void {
  const tooMany =
    pictures > maxImages ? `${maxImages} images` : elements > maxElements ? `${maxElements} elements of a page` : null
  if (tooMany !== null)
    throw new ToolError('invalid_arguments', `A message can have at most ${tooMany}.`, 'Remove one first.')
}

export function attachmentsOf(conversationId: string): DraftAttachments {
  return useDraftAttachments.getState().byConversation[conversationId] ?? none
}

function change(conversationId: string, next: (before: DraftAttachments) => DraftAttachments): void {
  useDraftAttachments.setState(({ byConversation }) => ({
    byConversation: { ...byConversation, [conversationId]: next(byConversation[conversationId] ?? none) },
  }))
}

/** Returns and clears the attachments of a draft that is being sent. */
export function takeAttachments(conversationId: string): DraftAttachments {
  const taken = attachmentsOf(conversationId)
  setAttachments(conversationId, none)
  return taken
}

export function setAttachments(conversationId: string, attachments: DraftAttachments): void {
  change(conversationId, () => attachments)
}

export function addMention(conversationId: string, mention: string): void {
  change(conversationId, (before) => ({
    ...before,
    chosen: [...new Set([...before.chosen, mention])],
    pasted: before.pasted.filter((each) => each !== mention),
  }))
}

/** Adds mentions that the user did not make. */
export function addPasted(conversationId: string, mentions: readonly string[]): void {
  if (mentions.length === 0) return
  change(conversationId, (before) => ({ ...before, pasted: [...new Set([...before.pasted, ...mentions])] }))
}

export function addPicture(conversationId: string, picture: ImageAttachment): void {
  change(conversationId, (before) => ({
    ...before,
    pictures: [...before.pictures.filter(({ id }) => id !== picture.id), picture],
  }))
}

export function clearPasted(conversationId: string): void {
  if (attachmentsOf(conversationId).pasted.length === 0) return
  change(conversationId, (before) => ({ ...before, pasted: [] }))
}

/** Records which MCP server prompt began a draft's text, if any. @param command its slash command */
export function setServerPrompt(conversationId: string, command: string | undefined): void {
  change(conversationId, ({ serverPrompt: _before, ...others }) => ({
    ...others,
    ...(command !== undefined && { serverPrompt: command }),
  }))
}

export function removePicture(conversationId: string, id: string): void {
  change(conversationId, (before) => ({ ...before, pictures: before.pictures.filter((picture) => picture.id !== id) }))
}

/** @throws ToolError invalid_arguments if the draft has as many elements as a message can have */
export function addElement(conversationId: string, element: ElementAttachment): void {
  checkCounts({ elements: (attachmentsOf(conversationId).elements ?? []).length + 1 })
  change(conversationId, (before) => ({ ...before, elements: [...(before.elements ?? []), element] }))
}

export function changeElementNote(conversationId: string, id: string, note: string): void {
  change(conversationId, (before) => ({
    ...before,
    elements: before.elements?.map((element) => (element.id === id ? { ...element, note } : element)),
  }))
}

export function removeElement(conversationId: string, id: string): void {
  change(conversationId, (before) => ({ ...before, elements: before.elements?.filter((element) => element.id !== id) }))
}
