import { useEffect, useRef, type KeyboardEvent } from 'react'
import { attempt } from '../platform/notices.ts'
import { Icon } from '../ui/index.ts'
import { cancelEdit, finishEdit } from './explorerActions.ts'
import { nameOf, useTree, type NameEdit } from './fileTree.ts'

interface NameFieldProps {
  edit: NameEdit
  depth: number
  onDone: () => void
}

/** Text field for the name of a new or renamed entry. Enter accepts, Escape cancels. Errors appear below. */
export function NameField({ edit, depth, onDone }: NameFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const finishing = useRef(false)
  const initial = edit.kind === 'rename' ? nameOf(edit.path) : ''

  useEffect(() => {
    const field = input.current
    if (!field) return
    field.focus()
    const dot = initial.lastIndexOf('.')
    field.setSelectionRange(0, dot > 0 && !edit.directory ? dot : initial.length)
  }, [initial, edit.directory])

  function finish(): void {
    const value = input.current?.value ?? ''
    finishing.current = true
    attempt(async () => {
      await finishEdit(edit, value)
      finishing.current = false
      // An invalid name keeps the field open. A new file moves the focus to its editor.
      if (useTree.getState().edit === null && document.activeElement === document.body) onDone()
    })
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Enter') finish()
    else if (event.key === 'Escape') {
      cancelEdit()
      onDone()
    } else return
    event.preventDefault()
  }

  const label =
    edit.kind === 'rename' ? `New name for ${initial}` : edit.directory ? 'New folder name' : 'New file name'
  return (
    // ARIA allows only tree items in a tree.
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected
      aria-label={label}
      className="explorer-row explorer-edit"
      style={{ paddingLeft: 8 + depth * 14 }}
    >
      <Icon name={edit.directory ? 'chevron-right' : 'blank'} className="ui-twistie" />
      <Icon name={edit.directory ? 'folder' : 'file'} />
      <input
        ref={input}
        className="explorer-input"
        aria-label={label}
        aria-invalid={edit.error ? true : undefined}
        defaultValue={initial}
        spellCheck={false}
        onKeyDown={onKeyDown}
        onClick={(event) => event.stopPropagation()}
        onBlur={() => {
          // Leaving the field cancels only if the name is unchanged. Otherwise the field waits for Enter.
          if (!finishing.current && (input.current?.value ?? '') === initial) cancelEdit()
        }}
      />
      {edit.error && (
        <div className="explorer-error" role="alert">
          {edit.error}
        </div>
      )}
    </div>
  )
}
