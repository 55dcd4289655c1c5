import { create } from 'zustand'
import type { ImageAttachment } from '../../../shared/attachments.ts'

/** What a message that is being written carries besides its words. */
export interface Carried {
  /** Mentions chosen from the menu, as written: main refuses the message when one of them is gone. */
  chosen: readonly string[]
  pictures: readonly ImageAttachment[]
}

const nothing: Carried = { chosen: [], pictures: [] }

/** By conversation id, as drafts are. */
export const useCarried = create<{ of: Readonly<Record<string, Carried>> }>()(() => ({ of: {} }))

export function carriedBy(conversationId: string): Carried {
  return useCarried.getState().of[conversationId] ?? nothing
}

function change(conversationId: string, next: (before: Carried) => Carried): void {
  useCarried.setState(({ of }) => ({ of: { ...of, [conversationId]: next(of[conversationId] ?? nothing) } }))
}

/** Takes out what the message that is now sent carries. */
export function takeCarried(conversationId: string): Carried {
  const taken = carriedBy(conversationId)
  setCarried(conversationId, nothing)
  return taken
}

export function setCarried(conversationId: string, carried: Carried): void {
  change(conversationId, () => carried)
}

export function addChosen(conversationId: string, mention: string): void {
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
