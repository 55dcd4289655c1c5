import { chatCommands } from './commands/chatCommands.ts'
import { debugCommands } from './commands/debugCommands.ts'
import { editCommands } from './commands/editCommands.ts'
import { fileCommands } from './commands/fileCommands.ts'
import { gitCommands } from './commands/gitCommands.ts'
import { goCommands } from './commands/goCommands.ts'
import { helpCommands } from './commands/helpCommands.ts'
import { notebookCommands } from './commands/notebookCommands.ts'
import { terminalCommands } from './commands/terminalCommands.ts'
import { viewCommands } from './commands/viewCommands.ts'
import type { CommandRow } from './commands/commandRow.ts'

/** All commands, in the order of the menus. */
export const commandTable = [
  ...fileCommands,
  ...editCommands,
  ...viewCommands,
  ...debugCommands,
  ...notebookCommands,
  ...goCommands,
  ...chatCommands,
  ...gitCommands,
  ...terminalCommands,
  ...helpCommands,
] as const

export type CommandId = (typeof commandTable)[number]['id']

/** `commandTable` with the common row type. */
export const commands: readonly CommandRow[] = commandTable

/** Returns the keys of a command in a host. Menus and tooltips show the first. */
export function keysFor(row: CommandRow, host: 'electron' | 'browser'): string[] {
  const hostKeys = host === 'electron' ? row.electronKeys : row.browserKeys
  return [...(hostKeys ?? []), ...(row.keys ?? [])]
}
