import { create } from 'zustand'
import type { ImageAttachment } from '../../../shared/attachments.ts'

/** What a message that is being written carries besides its words. */
export interface DraftAttachments {
  /** Mentions chosen from the menu, as written: main refuses the message when one of them is gone. */
  chosen: readonly string[]
  pictures: readonly ImageAttachment[]
}

const nothing: DraftAttachments = { chosen: [], pictures: [] }

/** By conversation id, as drafts are. */
export const useDraftAttachments = create<{ of: Readonly<Record<string, DraftAttachments>> }>()(() => ({ of: {} }))

export function attachmentsOf(conversationId: string): DraftAttachments {
  return useDraftAttachments.getState().of[conversationId] ?? nothing
}

function change(conversationId: string, next: (before: DraftAttachments) => DraftAttachments): void {
  useDraftAttachments.setState(({ of }) => ({ of: { ...of, [conversationId]: next(of[conversationId] ?? nothing) } }))
}

/** Takes out what the message that is now sent carries. */
export function takeAttachments(conversationId: string): DraftAttachments {
  const taken = attachmentsOf(conversationId)
  setAttachments(conversationId, nothing)
  return taken
}

export function setAttachments(conversationId: string, carried: DraftAttachments): void {
  change(conversationId, () => carried)
}

export function addMention(conversationId: string, mention: string): void {
  change(conversationId, (before) => ({ ...before, chosen: [...new Set([...before.chosen, mention])] }))
}

export function addPicture(conversationId: string, picture: ImageAttachment): void {
  change(conversationId, (before) => ({
    ...before,
    pictures: [...before.pictures.filter(({ id }) => id !== picture.id), picture],
  }))
}

export function removePicture(conversationId: string, id: string): void {
  change(conversationId, (before) => ({ ...before, pictures: before.pictures.filter((picture) => picture.id !== id) }))
}
