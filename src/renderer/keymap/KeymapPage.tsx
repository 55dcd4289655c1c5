import { useDeferredValue, useEffect, useMemo, useState, useRef } from 'react'
import { tableDefaults, withDefaults, withKeys, type UserKeybinding } from '../../shared/editor/keymap.ts'
import { keysOf } from '../../shared/editor/keyPress.ts'
import { plural } from '../../shared/text/plural.ts'
import { currentHost, useApp, useSettings } from '../platform/appState.ts'
import { browserKeys, canonicalKeys, formatKeys } from '../platform/keymap/keyNotation.ts'
import { editorCommands, type EditorCommand } from '../platform/keymap/monacoCommands.ts'
import { saveKeybindings } from '../platform/keymap/keymapStore.ts'
import { runCommand } from '../platform/commands.ts'
import { useContributions } from '../platform/extensions/extensionsStore.ts'
import { attempt } from '../platform/notices.ts'
import { takePageFocus } from '../platform/layout/pages.tsx'
import { Button, Icon, IconButton, Select, TextField, Dialog } from '../ui/index.ts'
import { commandsWithKeys, filterRows, keymapRows, type KeymapFilter, type KeymapRow } from './keymapRows.ts'
import './keymap.css'

const filters: readonly { value: KeymapFilter; label: string }[] = [
  { value: 'all', label: 'All commands' },
  { value: 'changed', label: 'Changed by you' },
  { value: 'conflicts', label: 'Conflicts' },
]

const noBindings: readonly UserKeybinding[] = []
const display = (keys: string) =>
  keys
    .split(' ')
    .map((press) => formatKeys(press))
    .join(' ')

function save(bindings: readonly UserKeybinding[]): void {
  attempt(() => saveKeybindings(bindings), 'The shortcut could not be saved')
}

function useEditorCommands(): readonly EditorCommand[] {
  const [loaded, setLoaded] = useState<readonly EditorCommand[]>([])
  useEffect(
    () => attempt(async () => setLoaded(await editorCommands()), "The editor's commands could not be listed"),
    [],
  )
  return loaded
}

/** The rows of all commands with the user's shortcuts. */
function useRows(user: readonly UserKeybinding[]): KeymapRow[] {
  const editor = useEditorCommands()
  const choice = useSettings()?.keymap ?? 'vscode'
  const extensions = useContributions(({ contributions }) => contributions.keybindings)
  return useMemo(
    () =>
      keymapRows(
        tableDefaults(currentHost(), choice, (keys) => canonicalKeys(keys)),
        editor,
        user,
        extensions,
      ),
    [editor, choice, user, extensions],
  )
}

/** The page that lists all commands with their shortcuts, to search and change. */
export function KeymapPage() {
  const user = useApp((store) => store.state?.keybindings ?? noBindings)
  const rows = useRows(user)
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<KeymapFilter>('all')
  const [editing, setEditing] = useState<KeymapRow | null>(null)
  const deferredQuery = useDeferredValue(query)
  const shown = useMemo(() => filterRows(rows, deferredQuery, filter, display), [rows, deferredQuery, filter])
  return (
    <div className="keymap" role="region" aria-label="Keyboard shortcuts">
      <header className="keymap-header">
        <h1 className="ui-page-title">Keyboard shortcuts</h1>
        <div className="keymap-tools">
          <TextField
            ref={takePageFocus}
            data-autofocus
            label="Search commands or keys"
            hideLabel
            placeholder="Search commands or keys, for example ctrl+k"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <div className="keymap-buttons">
            <Select
              label="Show"
              hideLabel
              value={filter}
              options={filters}
              onChange={(event) => setFilter(filters.find(({ value }) => value === event.target.value)?.value ?? 'all')}
            />
            <Button icon="json" onClick={() => void runCommand('keybindings.openJson')}>
              Open as JSON
            </Button>
            <Button disabled={user.length === 0} onClick={() => save([])}>
              Reset all
            </Button>
          </div>
        </div>
        <p className="keymap-count" role="status">
          {plural(shown.length, 'command')}
        </p>
      </header>
      <table className="keymap-table">
        <thead>
          <tr>
            <th scope="col">Command</th>
            <th scope="col">Shortcut</th>
            <th scope="col">Source</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={row.id} row={row} user={user} onEdit={() => setEditing(row)} />
          ))}
        </tbody>
      </table>
      <p className="keymap-note">
        Arrow keys move in trees, lists, tabs and menus. Enter opens, F2 renames, Delete deletes or closes, Shift+F10
        opens the context menu, and Escape closes or cancels. Your changes are stored in keybindings.json in the user
        data folder.
        {currentHost() === 'browser' &&
          ` The browser reserves ${browserKeys.map((key) => formatKeys(key)).join(', ')}.`}
      </p>
      {editing && (
        <KeyCaptureDialog
          command={editing.title}
          conflictsOf={(keys) => commandsWithKeys(rows, keys, editing.id)}
          onClose={() => setEditing(null)}
          onChoose={(keys) => {
            setEditing(null)
            save(withKeys(user, editing, [keys]))
          }}
        />
      )}
    </div>
  )
}

interface RowProps {
  row: KeymapRow
  user: readonly UserKeybinding[]
  onEdit: () => void
}

function Row({ row, user, onEdit }: RowProps) {
  const { id, title, current, changed, conflicts } = row
  return (
    <tr data-command={id} data-changed={changed}>
      <th scope="row" title={id}>
        {title}
      </th>
      <td>
        {current.map((keys) => {
          const others = conflicts.get(keys)?.join(', ')
          return (
            <span key={keys} className="keymap-keys">
              <kbd className="ui-kbd">{display(keys)}</kbd>
              {others !== undefined && (
                <span className="keymap-conflict" title={`Also used by ${others}`}>
                  <Icon name="warning" label={`Also used by ${others}`} />
                </span>
              )}
            </span>
          )
        })}
      </td>
      <td className="keymap-source">{changed ? 'You' : current.length > 0 ? 'Default' : ''}</td>
      <td className="keymap-actions">
        <IconButton icon="edit" label={`Change shortcut for ${title}`} onClick={onEdit} />
        {current.length > 0 && (
          <IconButton
            icon="trash"
            label={`Remove shortcut for ${title}`}
            onClick={() => save(withKeys(user, row, []))}
          />
        )}
        {changed && (
          <IconButton
            icon="discard"
            label={`Reset shortcut for ${title}`}
            onClick={() => save(withDefaults(user, id))}
          />
        )}
      </td>
    </tr>
  )
}

interface KeyCaptureDialogProps {
  command: string
  /** Returns the titles of other commands that have these keys. */
  conflictsOf: (keys: string) => readonly string[]
  onChoose: (keys: string) => void
  onClose: () => void
}

/**
 * Dialog that records a shortcut of up to two presses. Enter accepts, Escape cancels and Backspace clears; with a
 * modifier, these keys are recorded too. Tab leaves the field.
 */
function KeyCaptureDialog({ command, conflictsOf, onChoose, onClose }: KeyCaptureDialogProps) {
  const [presses, setPresses] = useState<readonly string[]>([])
  const keys = presses.join(' ')
  const conflicts = keys === '' ? [] : conflictsOf(keys)
  const field = useRef<HTMLInputElement>(null)
  const state = useRef({ keys, onChoose })
  state.current = { keys, onChoose }

  useEffect(() => {
    const element = field.current
    if (!element) return
    // A native listener, because the window's own listener must not see the keys.
    const onKeyDown = (event: KeyboardEvent) => {
      if (['Control', 'Shift', 'Alt', 'Meta', 'Tab', 'Escape'].includes(event.key)) return
      event.preventDefault()
      event.stopPropagation()
      const press = keysOf(event)
      if (press === 'Enter') {
        if (state.current.keys !== '') state.current.onChoose(state.current.keys)
      } else if (press === 'Backspace') setPresses([])
      else setPresses((before) => (before.length >= 2 ? [press] : [...before, press]))
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [])

  return (
    <Dialog
      title={`Shortcut for "${command}"`}
      width={460}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={keys === ''} onClick={() => onChoose(keys)}>
            Use shortcut
          </Button>
        </>
      }
    >
      <p className="keymap-hint" id="keymap-hint">
        Press the keys, then Enter. Two presses make a chord. Backspace clears.
      </p>
      <input
        ref={field}
        className="ui-input keymap-capture"
        aria-label="Keys"
        aria-describedby="keymap-hint keymap-conflicts"
        data-autofocus
        readOnly
        value={presses.map((press) => formatKeys(press)).join(' ')}
        placeholder="Press keys"
      />
      <p className="keymap-conflict-note" id="keymap-conflicts" role="status">
        {conflicts.length > 0 && (
          <>
            <Icon name="warning" /> Also used by {conflicts.slice(0, 3).join(', ')}
            {conflicts.length > 3 && ` and ${conflicts.length - 3} more`}. Your shortcut takes precedence.
          </>
        )}
      </p>
    </Dialog>
  )
}
