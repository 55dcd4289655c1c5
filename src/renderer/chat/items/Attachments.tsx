import { plural } from '../../../shared/text/plural.ts'
import type { Attachment, MentionAttachment } from '../../../shared/agent/attachments.ts'
import { fileIcon } from '../../ui/fileIcon.ts'
import { Icon } from '../../ui/index.ts'
import { openLocation } from '../../platform/editor/openLocation.ts'
import { Picture } from './Picture.tsx'

/** The attachments of a message: pictures, and chips that open mentioned files. */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  const places = attachments.filter((attachment) => attachment.kind !== 'image')
  const pictures = attachments.filter((attachment) => attachment.kind === 'image')
  return (
    <div className="chat-attachments" aria-label="Attached" role="group">
      {pictures.length > 0 && (
        <div className="chat-pictures">
          {pictures.map((picture) => (
            <Picture key={picture.id} picture={picture} />
          ))}
        </div>
      )}
      {places.map((place) => (
        <Place key={`${place.kind} ${place.label}`} place={place} />
      ))}
    </div>
  )
}

function Place({ place }: { place: MentionAttachment }) {
  const { kind, label, path, line, cut, text } = place
  const title = [path ?? label, plural(text.length, 'character'), cut && `not sent: ${cut}`].filter(Boolean).join(' · ')
  const content = (
    <>
      <Icon name={iconOf(place)} />
      <span>{label}</span>
      {cut !== undefined && <Icon name="fold" label="Truncated" />}
    </>
  )
  return path === undefined || kind === 'folder' ? (
    <span className="chat-chip" title={title}>
      {content}
    </span>
  ) : (
    <button type="button" className="chat-chip" title={title} onClick={() => openLocation(path, line)}>
      {content}
    </button>
  )
}

const icons = {
  folder: 'folder',
  symbol: 'symbol-method',
  selection: 'list-selection',
  terminal: 'terminal',
  diff: 'diff',
  problems: 'warning',
  resource: 'plug',
} as const

function iconOf({ kind, path }: MentionAttachment): string {
  return kind === 'file' ? fileIcon(path ?? '').icon : icons[kind]
}
