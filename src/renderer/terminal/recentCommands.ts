import { visibleCommand } from '../../shared/text/visibleText.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'

/** Maximum number of remembered commands of a folder, and of their characters, which are stored with its layout. */
const maxRecent = 100
const maxCharacters = 20_000

/** Remembers a command that was run in a terminal. */
export function rememberCommand(command: string): void {
  if (command.trim() === '') return
  useLayout.setState(({ recentCommands }) => {
    const all = [command, ...recentCommands.filter((other) => other !== command)].slice(0, maxRecent)
    let characters = 0
    return { recentCommands: all.filter((each) => (characters += each.length) <= maxCharacters) }
  })
}

export function clearRecentCommands(): void {
  useLayout.setState({ recentCommands: [] })
}

/** Asks for one of the commands that were run in this folder's terminals, the latest first. Null if none is chosen. */
export async function chooseRecentCommand(): Promise<string | null> {
  const { recentCommands } = useLayout.getState()
  const choice = await quickPick({
    title: 'Run recent command',
    placeholder: 'Type a part of a command',
    empty: 'No command was run in a terminal of this folder. Only those of bash and zsh are known.',
    items: recentCommands.map((command, index) => ({
      id: String(index),
      label: visibleCommand(command).replaceAll('\n', '\u240a'),
    })),
  })
  return choice === null ? null : (recentCommands[Number(choice.id)] ?? null)
}
