import { useState } from 'react'
import type { UserItem } from '../../../shared/agent/conversation.ts'
import { plural } from '../../../shared/text/plural.ts'
import { Button, Icon, IconButton, MenuButton, type MenuItem } from '../../ui/index.ts'
import { CopyButton } from '../../platform/CopyButton.tsx'
import { resend } from '../chatActions.ts'
import { fork } from '../restore/restoreActions.ts'
import { openRestoreDialog } from '../restore/restoreStore.ts'
import type { Attachment, MentionAttachment } from '../../../shared/agent/attachments.ts'
import { fileIcon } from '../../ui/fileIcon.ts'
import { openLocation } from '../../platform/editor/openLocation.ts'
import { Picture } from './Picture.tsx'

/** Number of characters shown of a collapsed message. */
const maxCollapsed = 1500

/** A message from the user, with its attachments and actions. */
export function UserMessage({ item }: { item: UserItem }) {
  const [editing, setEditing] = useState(false)
  const [unfolded, setUnfolded] = useState(false)
  if (item.nudge) return <NudgeLine text={item.text} hook={item.hooked === true} />
  if (editing) return <MessageEditor item={item} onDone={() => setEditing(false)} />
  const long = item.text.length > maxCollapsed
  return (
    <article className="chat-user" aria-label="You">
      {item.steered && (
        <div className="chat-user-steered">
          <Icon name="compass" />
          Steered the running turn
        </div>
      )}
      <div className="chat-user-text" dir="auto">
        {long && !unfolded ? `${item.text.slice(0, maxCollapsed)}…` : item.text}
      </div>
      {long && (
        <Button variant="ghost" size="small" onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? 'Show less' : `Show all ${plural(item.text.length, 'character')}`}
        </Button>
      )}
      {item.hookContext !== undefined && (
        <div className="chat-user-steered" title={item.hookContext}>
          <Icon name="zap" />
          Hooks added text for the model
        </div>
      )}
      {item.attachments && <Attachments attachments={item.attachments} />}
      <div className="chat-actions chat-user-actions">
        <CopyButton text={item.text} label="Copy message" />
        <IconButton icon="edit" label="Edit and send again" onClick={() => setEditing(true)} />
        <MenuButton icon="ellipsis" label="More" align="end" groups={() => [{ items: moreItems(item) }]} />
      </div>
    </article>
  )
}

/** Replaces a message that Tizona sends automatically to a model that stopped early. */
function NudgeLine({ text, hook }: { text: string; hook: boolean }) {
  return (
    <div className="chat-state-line chat-nudge" title={text}>
      <Icon name="debug-continue" />
      {hook ? 'A hook asked the model to continue' : 'Tizona asked the model to continue'}
    </div>
  )
}

function moreItems(item: UserItem): MenuItem[] {
  return [
    { id: 'restore', label: 'Restore…', icon: 'discard', run: () => openRestoreDialog(item) },
    { id: 'fork', label: 'Fork the conversation here', icon: 'repo-forked', run: () => fork(item.id) },
  ]
}

function MessageEditor({ item, onDone }: { item: UserItem; onDone: () => void }) {
  const [text, setText] = useState(item.text)
  const [sending, setSending] = useState(false)
  async function submit(): Promise<void> {
    if (text.trim() === '' || sending) return
    setSending(true)
    if (await resend(item, text)) onDone()
    // The user may edit it, or send it once the turn has ended.
    else setSending(false)
  }
  return (
    <form
      className="chat-user chat-user-editing"
      aria-label="Edit message"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <textarea
        dir="auto"
        className="ui-input chat-user-editor"
        aria-label="Edited message"
        value={text}
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone()
          else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            void submit()
          }
        }}
      />
      <div className="chat-user-editing-row">
        <span className="chat-hint">Everything after this message will be removed.</span>
        <Button size="small" variant="ghost" onClick={onDone}>
          Cancel
        </Button>
        <Button size="small" variant="primary" type="submit" disabled={text.trim() === '' || sending}>
          Send
        </Button>
      </div>
    </form>
  )
}

/** A message's attachments: pictures, and chips that open mentioned files. */
function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  const places = attachments.filter((attachment) => attachment.kind !== 'image')
  const pictures = attachments.filter((attachment) => attachment.kind === 'image')
  return (
    <div className="chat-attachments" aria-label="Attachments" role="group">
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
  const title = [path ?? label, plural(text.length, 'character'), cut && `Not sent: ${cut}`].filter(Boolean).join(' · ')
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
  element: 'inspect',
} as const

function iconOf({ kind, path }: MentionAttachment): string {
  return kind === 'file' ? fileIcon(path ?? '').icon : icons[kind]
}
