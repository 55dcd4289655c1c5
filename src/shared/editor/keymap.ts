import { commands, keysFor } from './commandsAndKeybindings.ts'
import type { CommandRow } from './commands/commandRow.ts'

/** Sets of default shortcuts. `cursor`: Ctrl+K starts an inline edit, and Ctrl+M replaces Ctrl+K in chords. */
export const keymapChoices = ['vscode', 'cursor'] as const
export type KeymapChoice = (typeof keymapChoices)[number]

/** An entry of `keybindings.json`, in VS Code's format: `{ "key": "ctrl+k ctrl+s", "command": "help.keys" }`. */
export interface UserKeybinding {
  key: string
  /** Id of a Tizona or editor command. A leading `-` removes this key from the command. */
  command: string
  /** When-clause of an editor command, as in VS Code. Tizona's commands have their own conditions. */
  when?: string
}

/** What determines the shortcuts of a window. */
export interface Keymap {
  choice: KeymapChoice
  user: readonly UserKeybinding[]
}

/** A command with its default shortcuts. */
export interface DefaultKeys {
  id: string
  /** In canonical notation: `Ctrl+Shift+P`, `Ctrl+K Ctrl+S`. */
  keys: readonly string[]
}

/** A shortcut of a command. */
export interface Binding {
  command: string
  keys: string
  source: 'default' | 'user'
}

const modifierNames: Readonly<Record<string, string>> = {
  ctrl: 'Ctrl',
  shift: 'Shift',
  alt: 'Alt',
  cmd: 'Cmd',
  meta: 'Cmd',
  win: 'Cmd',
}
const modifierOrder = ['Ctrl', 'Alt', 'Shift', 'Cmd']
const namedKeys = 'Left Right Up Down Home End PageUp PageDown Insert Delete Enter Escape Tab Space Backspace'
  .split(' ')
  .concat(Array.from({ length: 19 }, (_, index) => `F${index + 1}`))
const keyNames = new Map(namedKeys.map((name) => [name.toLowerCase(), name]))
const plainKey = /^[a-z0-9`\\,./=;'[\]-]$/

/** Pure: converts keys from `keybindings.json` to the command table's notation; null if they are invalid. */
export function readKeys(text: string): string | null {
  const presses = text.trim().toLowerCase().split(/ +/).map(readPress)
  return presses.length <= 2 && presses.every((press) => press !== null) ? presses.join(' ') : null
}

function readPress(press: string): string | null {
  // A plus always separates, because the plus key itself is written "=".
  const parts = press.split('+')
  const key = parts.pop() ?? ''
  const modifiers = parts.map((part) => modifierNames[part])
  const name = plainKey.test(key) ? key.toUpperCase() : keyNames.get(key)
  if (name === undefined || modifiers.includes(undefined)) return null
  return [...modifierOrder.filter((modifier) => modifiers.includes(modifier)), name].join('+')
}

/** Pure: converts keys to the notation of `keybindings.json`. */
const writeKeys = (keys: string): string => keys.toLowerCase()

/** Pure: the default keys of a command in a host, in the command table's notation. */
function presetKeys(row: CommandRow, host: 'electron' | 'browser', choice: KeymapChoice): string[] {
  const keys = keysFor(row, host)
  if (choice === 'vscode') return keys
  const moved = keys.map((each) => each.replace(/^Mod\+K /, 'Mod+M '))
  return row.id === 'inlineEdit.start' ? ['Mod+K', ...moved] : moved
}

/**
 * Pure: the shortcuts of all commands. The user's precede the defaults, and the latest of them comes first. Those of
 * extensions come last, and remove none.
 */
export function bindingsOf(
  defaults: readonly DefaultKeys[],
  user: readonly UserKeybinding[],
  extensions: readonly UserKeybinding[] = [],
): Binding[] {
  let bindings: Binding[] = defaults.flatMap(({ id, keys }) =>
    keys.map((each): Binding => ({ command: id, keys: each, source: 'default' })),
  )
  for (const { key, command } of extensions) {
    const keys = readKeys(key)
    if (keys !== null && !command.startsWith('-')) bindings.push({ command, keys, source: 'user' })
  }
  for (const { key, command } of user) {
    const keys = readKeys(key)
    if (command.startsWith('-')) {
      const id = command.slice(1)
      bindings = bindings.filter((binding) => binding.command !== id || (key !== '' && binding.keys !== keys))
    } else if (keys !== null) {
      const others = bindings.filter((binding) => binding.command !== command || binding.keys !== keys)
      bindings = [{ command, keys, source: 'user' }, ...others]
    }
  }
  return bindings
}

/** Pure: the commands of each shortcut, by precedence. */
export function commandsByKeys(bindings: readonly Binding[]): Map<string, string[]> {
  const byKeys = new Map<string, string[]>()
  for (const { keys, command } of bindings) byKeys.set(keys, [...(byKeys.get(keys) ?? []), command])
  return byKeys
}

/** Pure: a command's shortcuts for menus and tooltips, without those that another command overrides. */
export function keysOfCommand(id: string, bindings: readonly Binding[]): string[] {
  const taken = new Set<string>()
  return bindings.flatMap(({ command, keys }) => {
    const first = !taken.has(keys)
    taken.add(keys)
    return command === id && first ? [keys] : []
  })
}

/**
 * Pure: the user's entries after a command's keys are changed. Restores defaults that `keys` contains.
 * @param defaults the command's default keys
 * @param keys the command's new keys
 */
export function withKeys(
  user: readonly UserKeybinding[],
  { id, keys: defaults }: DefaultKeys,
  keys: readonly string[],
): UserKeybinding[] {
  const others = withDefaults(user, id)
  const removed = defaults.filter((each) => !keys.includes(each))
  const added = keys.filter((each) => !defaults.includes(each))
  return [
    ...others,
    ...removed.map((each) => ({ key: writeKeys(each), command: `-${id}` })),
    ...added.map((each) => ({ key: writeKeys(each), command: id })),
  ]
}

/** Pure: the user's entries, except those of a command. */
export function withDefaults(user: readonly UserKeybinding[], id: string): UserKeybinding[] {
  return user.filter(({ command }) => command !== id && command !== `-${id}`)
}

/** Pure: the default keys of all Tizona commands. @param canonical normalizes keys for the platform */
export function tableDefaults(
  host: 'electron' | 'browser',
  choice: KeymapChoice,
  canonical: (keys: string) => string,
): DefaultKeys[] {
  return commands.map((row) => ({ id: row.id, keys: presetKeys(row, host, choice).map((keys) => canonical(keys)) }))
}
