import { commands } from '../../shared/editor/commandsAndKeybindings.ts'
import { bindingsOf, type DefaultKeys, type UserKeybinding } from '../../shared/editor/keymap.ts'
import type { EditorCommand } from '../platform/keymap/monacoCommands.ts'

/** A row of the shortcuts page. */
export interface KeymapRow extends DefaultKeys {
  /** `Category: Title`. */
  title: string
  /** Its current shortcuts in canonical notation. */
  current: readonly string[]
  changed: boolean
  /** Titles of conflicting commands, by shared shortcut. */
  conflicts: ReadonlyMap<string, readonly string[]>
}

/**
 * Pure: builds the rows of all commands.
 * @param table default shortcuts of Tizona's commands
 * @param extensions shortcuts of extensions, which the user's override
 */
export function keymapRows(
  table: readonly DefaultKeys[],
  editor: readonly EditorCommand[],
  user: readonly UserKeybinding[],
  extensions: readonly UserKeybinding[] = [],
): KeymapRow[] {
  const titles = new Map<string, string>([
    ...commands.map(({ id, title, category }): [string, string] => [id, `${category}: ${title}`]),
    ...editor.map(({ id, label }): [string, string] => [id, `Editor: ${label}`]),
  ])
  const hidden = new Set(commands.filter((row) => row.hidden).map(({ id }) => id))
  const bindings = bindingsOf([...table, ...editor], [...extensions, ...user])
  const byKeys = Map.groupBy(bindings, ({ keys }) => keys)
  const changed = new Set(user.map(({ command }) => command.replace(/^-/, '')))
  return [...table, ...editor]
    .filter(({ id }) => !hidden.has(id))
    .map(({ id, keys }) => {
      const current = bindings.filter(({ command }) => command === id).map((each) => each.keys)
      const conflicts = current.flatMap((each): [string, string[]][] => {
        const others = (byKeys.get(each) ?? []).flatMap(({ command }) =>
          command === id ? [] : (titles.get(command) ?? []),
        )
        return others.length > 0 ? [[each, others]] : []
      })
      return { id, keys, title: titles.get(id) ?? id, current, changed: changed.has(id), conflicts: new Map(conflicts) }
    })
}

export type KeymapFilter = 'all' | 'changed' | 'conflicts'

/** Pure: filters the rows. @param query words of the title or id, or keys as displayed @param display formats keys */
export function filterRows(
  rows: readonly KeymapRow[],
  query: string,
  filter: KeymapFilter,
  display: (keys: string) => string,
): KeymapRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    if (filter === 'changed' && !row.changed) return false
    if (filter === 'conflicts' && row.conflicts.size === 0) return false
    const text = [row.title, row.id, ...row.current.map(display)].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Pure: the titles of commands with a shortcut, except the command `id`. */
export function commandsWithKeys(rows: readonly KeymapRow[], keys: string, id: string): string[] {
  return rows.flatMap((row) => (row.id !== id && row.current.includes(keys) ? [row.title] : []))
}
