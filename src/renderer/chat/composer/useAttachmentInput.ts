import { useState, type ClipboardEvent, type DragEvent } from 'react'
import { dragPathType, dragTabPathType } from '../../platform/files/dragTypes.ts'
import { mentionText } from '../../../shared/agent/mentions.ts'
import { addMention, addPasted } from './draftAttachments.ts'
import { pastedMentions } from './pastedMentions.ts'
import { attachPictures, pictureFiles } from './pictures.ts'

const accepted = [dragPathType, dragTabPathType, 'Files']

/**
 * Attaches pasted and dropped pictures to a draft, and mentions files dropped from the explorer and the tabs.
 * @param insertMention inserts a mention at the cursor
 * @returns whether something is being dragged over the field, and the event handlers of the field
 */
export function useAttachmentInput(conversationId: string, insertMention: (mention: string) => void) {
  const [dropping, setDropping] = useState(false)

  function onPaste(event: ClipboardEvent): void {
    const pictures = pictureFiles(event.clipboardData.files)
    // Some applications add a picture of the text to copied text. Paste the text then.
    if (pictures.length === 0 || event.clipboardData.types.includes('text/plain'))
      return addPasted(conversationId, pastedMentions(event.clipboardData.getData('text/plain')))
    event.preventDefault()
    attachPictures(conversationId, pictures)
  }

  function onDragOver(event: DragEvent): void {
    if (!accepted.some((type) => event.dataTransfer.types.includes(type))) return
    event.preventDefault()
    setDropping(true)
  }

  function onDrop(event: DragEvent): void {
    setDropping(false)
    const path = event.dataTransfer.getData(dragPathType) || event.dataTransfer.getData(dragTabPathType)
    const pictures = pictureFiles(event.dataTransfer.files)
    if (path === '' && pictures.length === 0)
      return addPasted(conversationId, pastedMentions(event.dataTransfer.getData('text/plain')))
    event.preventDefault()
    attachPictures(conversationId, pictures)
    if (path === '') return
    const mention = mentionText({ path })
    insertMention(mention)
    addMention(conversationId, mention)
  }

  return { dropping, handlers: { onPaste, onDragOver, onDragLeave: () => setDropping(false), onDrop } }
}
