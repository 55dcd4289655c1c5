import { create } from 'zustand'
import {
  bindingsOf,
  commandsByKeys,
  tableDefaults,
  type Binding,
  type KeymapChoice,
  type UserKeybinding,
} from '../../../shared/editor/keymap.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { currentHost, useApp } from '../appState.ts'
import { request } from '../bridge/bridge.ts'
import { useContributions } from '../extensions/extensionsStore.ts'
import { canonicalKeys } from './keyNotation.ts'

interface KeymapState {
  /** Shortcuts of all Tizona commands, and of the editor commands that the user reassigned. */
  bindings: readonly Binding[]
  /** Command ids of each shortcut, by precedence. */
  commands: ReadonlyMap<string, readonly string[]>
  firstPresses: ReadonlySet<string>
}

function keymapOf(
  host: 'electron' | 'browser',
  choice: KeymapChoice,
  user: readonly UserKeybinding[],
  extensions: readonly UserKeybinding[],
): KeymapState {
  const bindings = bindingsOf(
    tableDefaults(host, choice, (keys) => canonicalKeys(keys)),
    user,
    extensions,
  )
  const firstPresses = bindings.flatMap(({ keys }) => (keys.includes(' ') ? [keys.split(' ')[0] ?? ''] : []))
  return { bindings, commands: commandsByKeys(bindings), firstPresses: new Set(firstPresses) }
}

const noBindings: readonly UserKeybinding[] = []

/** Shortcuts of extensions, which Tizona's and those of `keybindings.json` override. */
export function extensionKeybindings(): readonly UserKeybinding[] {
  return useContributions.getState().contributions.keybindings
}

/** The entries of `keybindings.json`. */
export function userKeybindings(): readonly UserKeybinding[] {
  return useApp.getState().state?.keybindings ?? noBindings
}

/** What the shortcuts depend on. Incomplete until main has responded. */
function inputs() {
  const state: { settings?: Pick<Settings, 'keymap'> } | null = useApp.getState().state
  return [currentHost(), state?.settings?.keymap ?? 'vscode', userKeybindings(), extensionKeybindings()] as const
}

let current = inputs()

export const useKeymap = create<KeymapState>(() => keymapOf(...current))

function update(): void {
  const next = inputs()
  if (next.every((input, index) => input === current[index])) return
  current = next
  useKeymap.setState(keymapOf(...next), true)
}
useApp.subscribe(update)
useContributions.subscribe(update)

/** Stores the entries of `keybindings.json`. They take effect once main has stored them. */
export async function saveKeybindings(bindings: readonly UserKeybinding[]): Promise<void> {
  await request('keybindings.set', { bindings: bindings.map((each) => ({ ...each })) })
}
