import {
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react'
import { dragPathType } from '../../../shared/dragTypes.ts'
import { mentionText } from '../../../shared/mentions.ts'
import { addMention } from './draftAttachments.ts'
import { DraftPictures } from './DraftPictures.tsx'
import { pictureFiles, attachPictures } from './pictures.ts'
import { SuggestionMenu } from './SuggestionMenu.tsx'
import type { Suggestion } from './suggestions.ts'
import { useSuggestions } from './useSuggestions.ts'

interface MessageFieldProps {
  field: RefObject<HTMLTextAreaElement | null>
  conversationId: string
  text: string
  placeholder: string
  onWrite: (text: string) => void
  /** Called for keys that the menu does not handle. */
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  /** Called when a slash command without arguments is chosen. */
  onCommand: (text: string) => void
}

/** The text field of a message with suggestions for `@` and `/`. Accepts pasted or dropped pictures, and files from the explorer. */
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
  const [dropping, setDropping] = useState(false)
  /** Cursor offset to set after the inserted text is rendered. */
  const cursor = useRef<number | null>(null)
  const menu = useSuggestions(choose)

  useLayoutEffect(() => {
    if (cursor.current === null) return
    field.current?.setSelectionRange(cursor.current, cursor.current)
    cursor.current = null
  }, [text, field])

  function put(inserted: string, from: number, to: number): void {
    cursor.current = from + inserted.length
    onWrite(text.slice(0, from) + inserted + text.slice(to))
    field.current?.focus()
  }

  function choose(row: Suggestion, { kind, from, to }: { kind: 'mention' | 'slash'; from: number; to: number }): void {
    if (kind === 'slash' && !row.insert.endsWith(' ')) return onCommand(row.insert + text.slice(to))
    const rest = text.slice(to)
    // The closing quote may already exist.
    const closed = kind === 'mention' && rest.startsWith('"') ? to + 1 : to
    put(kind === 'mention' && !/^\s/.test(text.slice(closed)) ? `${row.insert} ` : row.insert, from, closed)
    if (kind === 'mention') addMention(conversationId, row.insert)
  }

  function onPaste(event: ClipboardEvent): void {
    const pictures = pictureFiles(event.clipboardData.files)
    // Some applications add a picture to copied text. Paste the text then.
    if (pictures.length === 0 || event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    attachPictures(conversationId, pictures)
  }

  function onDrop(event: DragEvent): void {
    setDropping(false)
    const path = event.dataTransfer.getData(dragPathType)
    const pictures = pictureFiles(event.dataTransfer.files)
    if (path === '' && pictures.length === 0) return
    event.preventDefault()
    attachPictures(conversationId, pictures)
    if (path === '') return
    const at = field.current?.selectionStart ?? text.length
    const mention = mentionText({ path })
    put(`${/\S$/.test(text.slice(0, at)) ? ' ' : ''}${mention} `, at, at)
    addMention(conversationId, mention)
  }

  const follow = () => {
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
      <DraftPictures conversationId={conversationId} />
      <textarea
        ref={field}
        className={dropping ? 'composer-text composer-dropping' : 'composer-text'}
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
        onSelect={follow}
        onBlur={() => menu.hide()}
        onKeyDown={(event) => {
          if (!event.nativeEvent.isComposing && menu.onKey(event)) return
          if (event.key === 'Enter') menu.hide()
          onKeyDown(event)
        }}
        onPaste={onPaste}
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes(dragPathType) && !event.dataTransfer.types.includes('Files')) return
          event.preventDefault()
          setDropping(true)
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={onDrop}
      />
    </>
  )
}
