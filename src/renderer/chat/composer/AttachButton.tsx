import { useRef } from 'react'
import { imageTypes } from '../../../shared/attachments.ts'
import { IconButton } from '../../ui/index.ts'
import { pictureFiles, takePictures } from './pictures.ts'

/** Picks pictures from the disk. */
export function AttachButton({ conversationId }: { conversationId: string }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton icon="attach" label="Attach a picture" onClick={() => input.current?.click()} />
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Picture to attach"
        accept={imageTypes.join(',')}
        multiple
        onChange={(event) => {
          takePictures(conversationId, pictureFiles(event.target.files ?? []))
          // The same file can be chosen again.
          event.target.value = ''
        }}
      />
    </>
  )
}
