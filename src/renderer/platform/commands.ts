import { commands, keysFor, type CommandCondition, type CommandId, type CommandRow } from '../../shared/commands.ts'
import { on } from './bridge/bridge.ts'
import { currentShell, currentWorkspace } from './appState.ts'
import { formatKeys } from './keybindings.ts'
import { attempt, notify } from './notices.ts'

export { commands, type CommandId, type CommandRow } from '../../shared/commands.ts'

type Handler = (argument?: unknown) => void | Promise<unknown>

const handlers = new Map<string, Handler>()
const conditions = new Map<CommandCondition, () => boolean>([
  ['workspace', () => currentWorkspace() !== null],
  ['noWorkspace', () => currentWorkspace() === null],
])

/** Says what a command of the table does. The part that owns the command calls it once. @returns unregister */
export function handleCommand(id: CommandId, handler: Handler): () => void {
  handlers.set(id, handler)
  return () => {
    if (handlers.get(id) === handler) handlers.delete(id)
  }
}

/** Says when a condition of the table holds. */
export function defineCondition(condition: CommandCondition, holds: () => boolean): void {
  conditions.set(condition, holds)
}

export function commandRow(id: string): CommandRow | undefined {
  return commands.find((row) => row.id === id)
}

/** Whether a part of the window has said what the command does. */
export function hasHandler(id: string): boolean {
  return handlers.has(id)
}

/** Whether the command has a handler and its condition holds. */
export function isEnabled(row: CommandRow): boolean {
  return handlers.has(row.id) && (row.when === undefined || (conditions.get(row.when)?.() ?? false))
}

/**
 * Runs a command; a failure becomes a notice.
 * @returns false when the command cannot run now (no handler, or its condition does not hold)
 */
export function runCommand(id: CommandId, argument?: unknown): boolean {
  const row = commandRow(id)
  const handler = handlers.get(id)
  if (!row || !handler || !isEnabled(row)) return false
  attempt(async () => handler(argument))
  return true
}

/** The command's first key in this shell as the tooltip and menus show it, e.g. `Ctrl+Shift+P`; undefined when it has none. */
export function shortcutOf(id: CommandId): string | undefined {
  const row = commandRow(id)
  const key = row && keysFor(row, currentShell())[0]
  return key && formatKeys(key)
}

/** Runs what the desktop shell's menu asks for. @returns unsubscribe */
export function followMenu(): () => void {
  return on('command', ({ id, argument }) => {
    const row = commandRow(id)
    // The row comes from the table, so its id is a CommandId.
    if (row) runCommand(row.id as CommandId, argument)
    else notify('warning', `The menu asked for a command that this window does not know: ${id}`)
  })
}
