import { commands, type CommandId } from '../../shared/editor/commandsAndKeybindings.ts'
import type { CommandCondition, CommandRow } from '../../shared/editor/commands/commandRow.ts'
import { on } from './bridge/bridge.ts'
import { currentHost, currentWorkspace, isRemote } from './appState.ts'
import { keysOfCommand } from '../../shared/editor/keymap.ts'
import { useKeymap } from './keymap/keymapStore.ts'
import { formatKeys } from './keymap/keyNotation.ts'
import { attempt, notify } from './notices.ts'

export { commands, type CommandId } from '../../shared/editor/commandsAndKeybindings.ts'
export type { CommandRow } from '../../shared/editor/commands/commandRow.ts'

type Handler = (argument?: unknown) => void | Promise<unknown>

const handlers = new Map<string, Handler>()
const conditions = new Map<CommandCondition, () => boolean>([
  ['workspace', () => currentWorkspace() !== null],
  ['noWorkspace', () => currentWorkspace() === null],
  ['desktop', () => currentHost() === 'electron'],
  ['remote', isRemote],
  ['multiRoot', () => currentWorkspace()?.multiRoot !== undefined],
])

/**
 * Registers the handler of a command. The feature that owns the command calls this once.
 * @returns a function that unregisters it
 */
export function handleCommand(id: CommandId, handler: Handler): () => void {
  handlers.set(id, handler)
  return () => {
    if (handlers.get(id) === handler) handlers.delete(id)
  }
}

const conditionSources: ((listener: () => void) => () => void)[] = []

/**
 * Registers the function that evaluates a condition of the command table.
 * @param subscribe needed if the condition can begin to hold without an action of the user
 */
export function defineCondition(
  condition: CommandCondition,
  holds: () => boolean,
  subscribe?: (listener: () => void) => () => void,
): void {
  conditions.set(condition, holds)
  if (subscribe) conditionSources.push(subscribe)
}

/** Calls the listener when other commands may be enabled without an action of the user. @returns a function that stops it */
export function onConditionsChanged(listener: () => void): () => void {
  const stops = conditionSources.map((subscribe) => subscribe(listener))
  return () => stops.forEach((stop) => stop())
}

/** Whether an id is in the command table. Other ids are editor commands. */
export function isTableCommand(id: string): id is CommandId {
  return commandRow(id) !== undefined
}

function commandRow(id: string): CommandRow | undefined {
  return commands.find((row) => row.id === id)
}

/** Returns the title of a command in this window. */
export function titleOf({ title, multiRootTitle }: CommandRow): string {
  return (currentWorkspace()?.multiRoot && multiRootTitle) ?? title
}

/** Whether the command can run now: it has a handler, and its condition holds. */
export function isEnabled(row: CommandRow): boolean {
  return handlers.has(row.id) && (row.when === undefined || (conditions.get(row.when)?.() ?? false))
}

/**
 * Runs a command and reports a failure as a notice.
 * @returns false if the command has no handler or its condition does not hold
 */
export function runCommand(id: CommandId, argument?: unknown): boolean {
  const row = commandRow(id)
  const handler = handlers.get(id)
  if (!row || !handler || !isEnabled(row)) return false
  attempt(async () => handler(argument))
  return true
}

/**
 * Returns the first shortcut of a command for tooltips and menus, for example `Ctrl+Shift+P`; undefined if it has none.
 */
export function shortcutOf(id: CommandId): string | undefined {
  const key = keysOfCommand(id, useKeymap.getState().bindings)[0]
  return key && formatKeys(key)
}

/**
 * Runs commands that the user chooses from the desktop menu, except while a modal dialog would cover what they open.
 * @returns a function that unsubscribes
 */
export function followMenu(): () => void {
  return on('command', ({ id, argument }) => {
    if (document.querySelector('dialog:modal')) return
    const row = commandRow(id)
    // The ids of all rows are CommandIds.
    if (row) runCommand(row.id as CommandId, argument)
    else notify('warning', 'This menu command is not available in this window.')
  })
}
