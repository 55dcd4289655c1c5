import { useEffect, useState } from 'react'
import type { ImageAttachment } from '../../../shared/agent/attachments.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { request } from '../../platform/bridge/bridge.ts'

/** Thumbnail of an attached picture, or its name if the picture is no longer stored. */
export function Picture({ picture }: { picture: ImageAttachment }) {
  const [url, setUrl] = useState<string | null>()
  useEffect(() => {
    let shown = true
    request('images.read', { id: picture.id }).then(
      (found) => shown && setUrl(found && `data:${found.mimeType};base64,${found.base64}`),
      () => shown && setUrl(null),
    )
    return () => {
      shown = false
    }
  }, [picture.id])
  const title = `${picture.label} · ${picture.width} × ${picture.height} · ${formatNumber(Math.ceil(picture.size / 1024))} KB`
  if (url === null)
    return (
      <span className="chat-chip" title={title}>
        {`${picture.label} (no longer available)`}
      </span>
    )
  return (
    <img
      className="chat-picture"
      src={url}
      alt={picture.label}
      title={title}
      width={picture.width}
      height={picture.height}
    />
  )
}
