import { reservedKeys } from '../../shared/commandsAndKeybindings.ts'
import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { useEditorStatus, viewOf } from '../platform/editor/editorViews.ts'
import { commands, isEnabled, runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import { currentHost } from '../platform/appState.ts'
import { canonicalKeys, keyMap } from '../platform/keyNotation.ts'
import { quickPick } from '../platform/quickPick.ts'

/** Prefix for ids of Monaco's commands. */
const ofMonaco = 'monaco:'
const recentIds: string[] = []
const recentLimit = 5

/** All commands that can run now, most recently used first, followed by Monaco's. */
export async function showCommands(): Promise<void> {
  const rows = commands.filter((row) => !row.hidden && row.id !== 'palette.show' && isEnabled(row))
  const rank = (id: string) => (recentIds.indexOf(id) + recentIds.length + 1) % (recentIds.length + 1)
  const sorted =
    recentIds.length > 0
      ? rows.toSorted((a, b) => (rank(a.id) || recentLimit + 1) - (rank(b.id) || recentLimit + 1))
      : rows
  const view = viewOf(useTabs.getState().activeGroup)
  const taken = keyMap(currentHost())
  const reserved = new Set(reservedKeys.map((keys) => canonicalKeys(keys)))
  // Hide Monaco shortcuts that the window handles itself.
  const works = (keys: string) => !taken.has(canonicalKeys(keys)) && !reserved.has(canonicalKeys(keys))
  const items = [
    ...sorted.map((row) => ({
      id: row.id,
      label: `${row.category}: ${row.title}`,
      // Rows are those of the table.
      detail: shortcutOf(row.id as CommandId),
    })),
    ...(view && activePath() !== null ? view.actions() : []).map(({ id, label, keys }) => ({
      id: `${ofMonaco}${id}`,
      label: `Editor: ${label}`,
      detail: keys !== undefined && works(keys) ? keys : undefined,
    })),
  ]
  const choice = await quickPick({
    title: 'Command palette',
    placeholder: 'Type a command',
    empty: 'No command matches.',
    items,
  })
  if (!choice) return
  if (choice.id.startsWith(ofMonaco)) {
    view?.runAction(choice.id.slice(ofMonaco.length))
    return
  }
  const at = recentIds.indexOf(choice.id)
  if (at >= 0) recentIds.splice(at, 1)
  recentIds.unshift(choice.id)
  recentIds.length = Math.min(recentIds.length, recentLimit)
  runCommand(choice.id as CommandId)
}

export async function goToLine(): Promise<void> {
  const view = viewOf(useTabs.getState().activeGroup)
  if (!view) return
  const { cursor } = useEditorStatus.getState()
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
    empty: 'Type a number.',
  })
  if (!choice) return
  const [line = 1, column = 1] = choice.id.split(':').map(Number)
  view.goTo({ line, column })
  view.focus()
}
