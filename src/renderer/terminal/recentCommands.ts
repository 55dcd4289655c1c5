import { useLayout } from '../platform/layout/layoutStore.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'

/** Maximum number of remembered commands of a folder. */
const maxRecent = 200

/** Remembers a command that was run in a terminal. */
export function rememberCommand(command: string): void {
  useLayout.setState(({ recentCommands }) => ({
    recentCommands: [command, ...recentCommands.filter((other) => other !== command)].slice(0, maxRecent),
  }))
}

/** Asks for one of the commands that were run in this folder's terminals, the latest first. Null if none is chosen. */
export async function chooseRecentCommand(): Promise<string | null> {
  const { recentCommands } = useLayout.getState()
  const choice = await quickPick({
    title: 'Run recent command',
    placeholder: 'Type a part of a command',
    empty: 'No command was run in a terminal of this folder. Commands are known in bash, zsh and fish.',
    items: recentCommands.map((command, index) => ({ id: String(index), label: command.replaceAll('\n', ' ') })),
  })
  return choice === null ? null : (recentCommands[Number(choice.id)] ?? null)
}
