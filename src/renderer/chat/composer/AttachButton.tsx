import { useRef } from 'react'
import { imageTypes } from '../../../shared/agent/attachments.ts'
import { IconButton } from '../../ui/index.ts'
import { pictureFiles, attachPictures } from './pictures.ts'

/** Button that attaches pictures chosen in a file dialog. */
export function AttachButton({ conversationId }: { conversationId: string }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton icon="attach" label="Attach an image" onClick={() => input.current?.click()} />
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Image to attach"
        accept={imageTypes.join(',')}
        multiple
        onChange={(event) => {
          attachPictures(conversationId, pictureFiles(event.target.files ?? []))
          // Without this, choosing the same file again causes no change event.
          event.target.value = ''
        }}
      />
    </>
  )
}
