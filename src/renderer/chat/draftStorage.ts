import {
  attachmentsOf,
  setAttachments,
  takeAttachments,
  useDraftAttachments,
  type DraftAttachments,
} from './composer/draftAttachments.ts'
import { setDraft, useChatView } from './chatViewStore.ts'

/** A draft as stored with the folder's layout. */
export interface StoredDraft extends DraftAttachments {
  text: string
}
/** Drafts by conversation id, or by `newDraft`. */
export type StoredDrafts = Readonly<Record<string, StoredDraft>>

/** Maximum length of all stored drafts together, in UTF-16 units. The longest ones are dropped. */
const maxLength = 200_000

/** Returns the folder's drafts for storage, so that a reload, crash or restart loses none. */
export function storedDrafts(): StoredDrafts {
  const { drafts } = useChatView.getState()
  const { byConversation } = useDraftAttachments.getState()
  const ids = new Set([...Object.keys(drafts), ...Object.keys(byConversation)])
  const all = [...ids].flatMap((id): [string, StoredDraft][] => {
    const stored = { text: drafts[id] ?? '', ...attachmentsOf(id) }
    return stored.text.trim() === '' && stored.pictures.length === 0 && !stored.elements?.length ? [] : [[id, stored]]
  })
  let length = 0
  const shortest = all.toSorted(([, one], [, other]) => lengthOf(one) - lengthOf(other))
  return Object.fromEntries(shortest.filter(([, draft]) => (length += lengthOf(draft)) <= maxLength))
}

const lengthOf = ({ text, elements = [] }: StoredDraft): number =>
  elements.reduce((length, element) => length + element.text.length, text.length)

/** Replaces the drafts with stored ones when a folder opens. */
export function restoreDrafts(stored: StoredDrafts = {}): void {
  const entries = Object.entries(stored)
  useChatView.setState({ drafts: Object.fromEntries(entries.map(([id, { text }]) => [id, text])) })
  useDraftAttachments.setState({
    byConversation: Object.fromEntries(
      entries.map(([id, { chosen, pasted, pictures, elements, serverPrompt }]) => [
        id,
        {
          chosen,
          pasted,
          pictures,
          ...(elements && { elements }),
          ...(serverPrompt !== undefined && { serverPrompt }),
        },
      ]),
    ),
  })
}

/** Moves the draft of one conversation to another, with its attachments. */
export function moveDraft(from: string, to: string): void {
  const text = useChatView.getState().drafts[from] ?? ''
  const attachments = attachmentsOf(from)
  const isEmpty = text === '' && Object.values(attachments).every((each) => each.length === 0)
  if (from === to || isEmpty) return
  setDraft(to, text)
  setDraft(from, '')
  setAttachments(to, takeAttachments(from))
}

/** Calls a listener when a draft changes. @returns a function that stops it */
export function subscribeToDrafts(listener: () => void): () => void {
  const stops = [useChatView.subscribe(listener), useDraftAttachments.subscribe(listener)]
  return () => stops.forEach((stop) => stop())
}
