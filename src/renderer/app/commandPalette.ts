import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { commands, isEnabled, isTableCommand, runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import { canonicalKeys } from '../platform/keyNotation.ts'
import { useKeymap } from '../platform/keymap/keymapStore.ts'
import { quickPick } from '../platform/quickPick.ts'

/** Prefix of item ids for Monaco's commands. */
const monacoIdPrefix = 'monaco:'
const recentIds: string[] = []
const maxRecent = 5

/** Opens the command palette: enabled commands, most recently used first, followed by those of Monaco. */
export async function showCommands(): Promise<void> {
  const rows = commands.filter((row) => !row.hidden && row.id !== 'palette.show' && isEnabled(row))
  const rank = (id: string) => (recentIds.indexOf(id) + recentIds.length + 1) % (recentIds.length + 1)
  const sorted =
    recentIds.length > 0 ? rows.toSorted((a, b) => (rank(a.id) || maxRecent + 1) - (rank(b.id) || maxRecent + 1)) : rows
  const view = viewOf(useTabs.getState().activeGroup)
  const windowKeys = useKeymap.getState().commands
  // The window handles its own shortcuts before Monaco does, so those of Monaco with the same keys have no effect.
  const reachesMonaco = (keys: string) => !windowKeys.get(canonicalKeys(keys))?.some(isTableCommand)
  const items = [
    ...sorted.map((row) => ({
      id: row.id,
      label: `${row.category}: ${row.title}`,
      // The rows come from the table, so their ids are CommandIds.
      detail: shortcutOf(row.id as CommandId),
    })),
    ...(view && activePath() !== null ? view.actions() : []).map(({ id, label, keys }) => ({
      id: `${monacoIdPrefix}${id}`,
      label: `Editor: ${label}`,
      detail: keys !== undefined && reachesMonaco(keys) ? keys : undefined,
    })),
  ]
  const choice = await quickPick({
    title: 'Command palette',
    placeholder: 'Type a command',
    empty: 'No command matches.',
    items,
  })
  if (!choice) return
  if (choice.id.startsWith(monacoIdPrefix)) {
    view?.runAction(choice.id.slice(monacoIdPrefix.length))
    return
  }
  const at = recentIds.indexOf(choice.id)
  if (at >= 0) recentIds.splice(at, 1)
  recentIds.unshift(choice.id)
  recentIds.length = Math.min(recentIds.length, maxRecent)
  runCommand(choice.id as CommandId)
}

/** Prompts for a line, optionally with a column, and moves the cursor of the active editor there. */
export async function goToLine(): Promise<void> {
  const view = viewOf(useTabs.getState().activeGroup)
  if (!view) return
  const cursor = view.path() === null ? null : view.cursor()
  const choice = await quickPick({
    title: 'Go to line',
    placeholder: cursor ? `Line, or line:column (now ${cursor.line}:${cursor.column})` : 'Line, or line:column',
    async items(query) {
      const [, line, column] = /^\s*(\d+)(?::(\d+))?\s*$/.exec(query) ?? []
      return line
        ? [
            {
              id: `${line}:${column ?? 1}`,
              label: column ? `Go to line ${line}, column ${column}` : `Go to line ${line}`,
              icon: 'arrow-right',
            },
          ]
        : []
    },
    empty: 'Type a line number.',
  })
  if (!choice) return
  const [line = 1, column = 1] = choice.id.split(':').map(Number)
  view.goTo({ line, column })
  view.focus()
}
