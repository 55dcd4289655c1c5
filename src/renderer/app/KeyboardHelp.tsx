import { create } from 'zustand'
import { keysFor } from '../../shared/commandsAndKeybindings.ts'
import { currentHost } from '../platform/appState.ts'
import { commands } from '../platform/commands.ts'
import { browserKeys, formatKeys } from '../platform/keyNotation.ts'
import { Dialog } from '../ui/index.ts'

export const useKeyboardHelp = create<{ open: boolean }>(() => ({ open: false }))

/** Dialog that lists the shortcuts of the command table and the keys of trees, lists and menus. */
export function KeyboardHelp() {
  const open = useKeyboardHelp((state) => state.open)
  if (!open) return null
  const rows = commands.flatMap((row) => {
    const keys = keysFor(row, currentHost())
    return keys.length > 0 ? [{ row, keys: keys.map((key) => formatKeys(key)) }] : []
  })
  const groups = Map.groupBy(rows, ({ row }) => row.category)
  return (
    <Dialog title="Keyboard shortcuts" width={640} textOnly onClose={() => useKeyboardHelp.setState({ open: false })}>
      <div className="help-keys">
        {[...groups].map(([category, entries]) => (
          <section key={category}>
            <h3>{category}</h3>
            <dl>
              {entries.map(({ row, keys }) => (
                <div key={row.id}>
                  <dt>{row.title}</dt>
                  <dd>{keys.join(', ')}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="help-note">
        Arrow keys move in trees, lists, tabs and menus. Enter opens, F2 renames, Delete deletes or closes, Shift+F10
        opens the context menu, and Escape closes or cancels.
      </p>
      {currentHost() === 'browser' && (
        <p className="help-note">The browser reserves {browserKeys.map((key) => formatKeys(key)).join(', ')}.</p>
      )}
    </Dialog>
  )
}
