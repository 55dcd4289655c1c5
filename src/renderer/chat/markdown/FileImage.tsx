import { useMemo, useState } from 'react'
import { imageTypeOf } from '../../platform/editor/fileViews.tsx'
import { dataUrl, useFileBytes } from '../../platform/editor/documents/useFileBytes.ts'
import { Icon } from '../../ui/index.ts'

/** Maximum size of an image in a preview, in bytes. */
const maxBytes = 4 * 1024 * 1024

/** An image of the workspace in a Markdown preview. */
export function FileImage({ path, alt }: { path: string; alt: string }) {
  const type = imageTypeOf(path)
  const { loaded, failure } = useFileBytes(path, 0, maxBytes)
  const [broken, setBroken] = useState('')
  const tooLarge = loaded !== null && loaded.size > maxBytes
  const source = useMemo(
    () => (loaded && type !== null && !tooLarge ? dataUrl(loaded.bytes, type) : null),
    [loaded, type, tooLarge],
  )
  if (source !== null && source !== broken)
    return <img className="markdown-picture" src={source} alt={alt} onError={() => setBroken(source)} />
  const why = failure
    ? failure.code === 'not_found'
      ? 'not found'
      : 'cannot be read'
    : tooLarge
      ? 'too large'
      : source === null && type !== null
        ? ''
        : 'not an image'
  return (
    <span className="markdown-image">
      <Icon name="file-media" />
      {alt || path}
      {why && <span className="markdown-image-source">{why}</span>}
    </span>
  )
}
