import {
  useId,
  useLayoutEffect,
  useRef,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useState,
  type ClipboardEvent,
  type DragEvent,
} from 'react'
import { addMention, removePicture, useDraftAttachments, addPasted } from './draftAttachments.ts'
import { DraftElements } from './DraftElements.tsx'
import type { Suggestion } from './suggestions.ts'
import { useSuggestions } from './useSuggestions.ts'
import { Icon, IconButton } from '../../ui/index.ts'
import { isSameModel } from '../../../shared/models/modelName.ts'
import { useCurrentModel } from '../../platform/conversation/currentModel.ts'
import { useEndpoints } from '../../platform/models/endpointsStore.ts'
import { Picture } from '../items/Picture.tsx'
import { dragPathType, dragTabPathType } from '../../platform/files/dragTypes.ts'
import { mentionText } from '../../../shared/agent/mentions.ts'
import { pastedMentions } from './pastedMentions.ts'
import { attachPictures, pictureFiles } from './pictures.ts'

interface MessageFieldProps {
  field: RefObject<HTMLTextAreaElement | null>
  conversationId: string
  text: string
  placeholder: string
  onWrite: (text: string) => void
  /** Called for keys that the suggestion menu does not handle. */
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  /** Called when a slash command without arguments is chosen. */
  onCommand: (text: string) => void
}

/**
 * A message's text field, with suggestions for `@` and `/`. Accepts pasted and dropped pictures, and files from the
 * explorer.
 */
export function MessageField({
  field,
  conversationId,
  text,
  placeholder,
  onWrite,
  onKeyDown,
  onCommand,
}: MessageFieldProps) {
  const menuId = useId()
  /** Cursor offset to set after the inserted text is rendered. */
  const cursor = useRef<number | null>(null)
  const menu = useSuggestions(applySuggestion)

  useLayoutEffect(() => {
    if (cursor.current === null) return
    field.current?.setSelectionRange(cursor.current, cursor.current)
    cursor.current = null
  }, [text, field])

  /** Replaces the text between two offsets and puts the cursor after the inserted text. */
  function insertText(inserted: string, from: number, to: number): void {
    cursor.current = from + inserted.length
    onWrite(text.slice(0, from) + inserted + text.slice(to))
    field.current?.focus()
  }

  function applySuggestion(
    row: Suggestion,
    { kind, from, to }: { kind: 'mention' | 'slash'; from: number; to: number },
  ): void {
    if (kind === 'slash' && !row.insert.endsWith(' ')) return onCommand(row.insert + text.slice(to))
    const rest = text.slice(to)
    // Also replace the closing quote of a quoted mention.
    const closed = kind === 'mention' && rest.startsWith('"') ? to + 1 : to
    insertText(kind === 'mention' && !/^\s/.test(text.slice(closed)) ? `${row.insert} ` : row.insert, from, closed)
    if (kind === 'mention') addMention(conversationId, row.insert)
  }

  const attachmentInput = useAttachmentInput(conversationId, (mention) => {
    const at = field.current?.selectionStart ?? text.length
    insertText(`${/\S$/.test(text.slice(0, at)) ? ' ' : ''}${mention} `, at, at)
  })
  const updateMenu = () => {
    const { current } = field
    if (current && current.selectionStart === current.selectionEnd) menu.follow(current.value, current.selectionStart)
  }
  const open = menu.rows.length > 0
  return (
    <>
      {open && (
        <SuggestionMenu
          id={menuId}
          title={menu.kind === 'slash' ? 'Commands' : 'Mentions'}
          rows={menu.rows}
          active={menu.active}
          onChoose={menu.choose}
          onActive={menu.setActive}
        />
      )}
      <DraftElements conversationId={conversationId} />
      <DraftPictures conversationId={conversationId} />
      <textarea
        dir="auto"
        ref={field}
        className={attachmentInput.dropping ? 'composer-text composer-dropping' : 'composer-text'}
        aria-label="Message"
        aria-controls={open ? menuId : undefined}
        aria-activedescendant={open ? `${menuId}-${menu.active}` : undefined}
        aria-autocomplete="list"
        data-autofocus
        placeholder={placeholder}
        value={text}
        rows={2}
        onChange={(event) => {
          onWrite(event.target.value)
          menu.follow(event.target.value, event.target.selectionStart)
        }}
        onSelect={updateMenu}
        onBlur={() => menu.hide()}
        onKeyDown={(event) => {
          if (menu.onKey(event)) return
          if (event.key === 'Enter') menu.hide()
          onKeyDown(event)
        }}
        {...attachmentInput.handlers}
      />
    </>
  )
}

interface SuggestionMenuProps {
  id: string
  title: string
  rows: readonly Suggestion[]
  active: number
  onChoose: (row: Suggestion) => void
  onActive: (at: number) => void
}

/** Suggestions above the composer. The focus stays in the message field, which handles the keys. */
function SuggestionMenu({ id, title, rows, active, onChoose, onActive }: SuggestionMenuProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    // WCAG requires scrollable regions to be focusable. Tab in the message field still chooses a row.
    <ul ref={list} id={id} className="composer-menu" role="listbox" aria-label={title} tabIndex={0}>
      {rows.map((row, at) => (
        <li
          key={row.id}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          className="composer-menu-row"
          title={row.detail === '' ? row.label : `${row.label} · ${row.detail}`}
          onMouseMove={() => onActive(at)}
          // Keep the focus in the message field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(row)}
        >
          <Icon name={row.icon} />
          <span className="composer-menu-label">{row.label}</span>
          <span className="composer-menu-detail">{row.detail}</span>
        </li>
      ))}
    </ul>
  )
}

/** Thumbnails of a draft's pictures, with a warning if the model does not support images. */
function DraftPictures({ conversationId }: { conversationId: string }) {
  const pictures = useDraftAttachments((state) => state.byConversation[conversationId]?.pictures)
  const textOnlyModel = useTextOnlyModel()
  if (!pictures || pictures.length === 0) return null
  return (
    <div className="composer-pictures">
      {pictures.map((picture) => (
        <div key={picture.id} className="composer-picture">
          <Picture picture={picture} />
          <IconButton
            icon="close"
            label={`Remove ${picture.label}`}
            onClick={() => removePicture(conversationId, picture.id)}
          />
        </div>
      ))}
      {textOnlyModel !== undefined && (
        <p className="composer-warning" role="status">
          <Icon name="warning" />
          {`${textOnlyModel} does not support images. Choose another model or remove them.`}
        </p>
      )}
    </div>
  )
}

/** Returns the selected model's id if the model is known not to support images. */
function useTextOnlyModel(): string | undefined {
  const choice = useCurrentModel()
  const model = useEndpoints((state) =>
    state.endpoints
      .find(({ endpoint }) => endpoint.id === choice?.endpointId)
      ?.models.find(({ id }) => choice && isSameModel(id, choice.model)),
  )
  return model?.vision === false ? model.id : undefined
}

const accepted = [dragPathType, dragTabPathType, 'Files']

/**
 * Attaches pasted and dropped pictures to a draft, and mentions files that are dropped from the explorer and the tabs.
 * @param insertMention inserts a mention at the cursor
 * @returns whether something is being dragged over the field, and the field's event handlers
 */
function useAttachmentInput(conversationId: string, insertMention: (mention: string) => void) {
  const [dropping, setDropping] = useState(false)

  function onPaste(event: ClipboardEvent): void {
    const pictures = pictureFiles(event.clipboardData.files)
    // Some applications add a picture of copied text. Paste the text then.
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
