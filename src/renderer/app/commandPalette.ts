import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import {
  commands,
  isEnabled,
  isTableCommand,
  onConditionsChanged,
  runCommand,
  shortcutOf,
  titleOf,
  type CommandId,
} from '../platform/commands.ts'
import { canonicalKeys } from '../platform/keymap/keyNotation.ts'
import { useKeymap } from '../platform/keymap/keymapStore.ts'
import { quickPick, updateQuickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'

const monacoIdPrefix = 'monaco:'
const recentIds: string[] = []
const maxRecent = 5

/** Picker items for enabled commands, most recently used first, followed by Monaco's. */
export function commandItems(): QuickPickItem[] {
  const rows = commands.filter((row) => !row.hidden && row.id !== 'palette.show' && isEnabled(row))
  const rank = (id: string) => (recentIds.indexOf(id) + recentIds.length + 1) % (recentIds.length + 1)
  const sorted =
    recentIds.length > 0 ? rows.toSorted((a, b) => (rank(a.id) || maxRecent + 1) - (rank(b.id) || maxRecent + 1)) : rows
  const view = viewOf(useTabs.getState().activeGroup)
  const windowKeys = useKeymap.getState().commands
  // The window handles its shortcuts before Monaco does, so Monaco's shortcuts with the same keys have no effect.
  const reachesMonaco = (keys: string) => !windowKeys.get(canonicalKeys(keys))?.some(isTableCommand)
  return [
    ...sorted.map((row) => ({
      id: row.id,
      label: `${row.paletteCategory ?? row.category}: ${titleOf(row)}`,
      keywords: row.otherNames,
      // The ids of all rows are CommandIds.
      detail: shortcutOf(row.id as CommandId),
    })),
    ...(view && activePath() !== null ? view.actions() : []).map(({ id, label, keys }) => ({
      id: `${monacoIdPrefix}${id}`,
      label: `Editor: ${label}`,
      detail: keys !== undefined && reachesMonaco(keys) ? keys : undefined,
    })),
  ]
}

/** Runs the command of a picker item. @param id from `commandItems` */
export function runCommandItem(id: string): void {
  if (id.startsWith(monacoIdPrefix)) {
    viewOf(useTabs.getState().activeGroup)?.runAction(id.slice(monacoIdPrefix.length))
    return
  }
  const at = recentIds.indexOf(id)
  if (at >= 0) recentIds.splice(at, 1)
  recentIds.unshift(id)
  recentIds.length = Math.min(recentIds.length, maxRecent)
  runCommand(id as CommandId)
}

/** Opens the command palette. */
export async function showCommands(): Promise<void> {
  const title = 'Command palette'
  let items = commandItems()
  const stop = onConditionsChanged(() => {
    const next = commandItems()
    if (next.length === items.length && next.every(({ id }, index) => id === items[index]?.id)) return
    items = next
    updateQuickPick(title, items)
  })
  const choice = await quickPick({ title, placeholder: 'Type a command', empty: 'No command matches.', items })
  stop()
  if (choice) runCommandItem(choice.id)
}

/** Picker items for a typed line and optional column. */
export function lineItems(query: string): QuickPickItem[] {
  const [, line, column] = /^\s*(\d+)(?::(\d+))?\s*$/.exec(query) ?? []
  if (!line) return []
  return [
    {
      id: `${line}:${column ?? 1}`,
      label: column ? `Go to line ${line}, column ${column}` : `Go to line ${line}`,
      icon: 'arrow-right',
    },
  ]
}

/** Moves the cursor of the active editor. @param id from `lineItems` */
export function goToLineItem(id: string): void {
  const view = viewOf(useTabs.getState().activeGroup)
  const [line = 1, column = 1] = id.split(':').map(Number)
  view?.goTo({ line, column })
  view?.focus()
}

/** Asks for a line and optional column, and moves the active editor's cursor there. */
export async function goToLine(): Promise<void> {
  const view = viewOf(useTabs.getState().activeGroup)
  if (!view) return
  const cursor = view.path() === null ? null : view.cursor()
  const choice = await quickPick({
    title: 'Go to line',
    placeholder: cursor ? `Line, or line:column (now ${cursor.line}:${cursor.column})` : 'Line, or line:column',
    items: async (query) => lineItems(query),
    empty: 'Type a line number.',
  })
  if (choice) goToLineItem(choice.id)
}
