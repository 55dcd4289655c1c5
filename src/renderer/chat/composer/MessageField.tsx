import { useId, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react'
import { addMention } from './draftAttachments.ts'
import { DraftPictures } from './DraftPictures.tsx'
import { SuggestionMenu } from './SuggestionMenu.tsx'
import type { Suggestion } from './suggestions.ts'
import { useAttachmentInput } from './useAttachmentInput.ts'
import { useSuggestions } from './useSuggestions.ts'

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
 * The text field of a message, with suggestions for `@` and `/`. Accepts pasted and dropped pictures and files of the
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
    // Replace the closing quote of a quoted mention too.
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
