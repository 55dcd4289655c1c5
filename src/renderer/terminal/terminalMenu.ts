import type { JobInfo } from '../../shared/tools/tool.ts'
import { runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import { formatKeys, isMac } from '../platform/keymap/keyNotation.ts'
import type { MenuGroup, MenuItem } from '../ui/index.ts'
import { copySelection } from './terminalKeys.ts'
import { terminalView } from './terminalViews.ts'

function commandItem(id: CommandId, label: string, more: Partial<MenuItem> = {}): MenuItem {
  return { id, label, shortcut: shortcutOf(id), run: () => void runCommand(id), ...more }
}

/** The context menu of the terminal of a job. */
export function terminalMenu(job: JobInfo): MenuGroup[] {
  const view = terminalView(job.id)
  const selection = view?.selection() ?? ''
  return [
    {
      items: [
        {
          id: 'copy',
          label: 'Copy',
          icon: 'copy',
          shortcut: isMac ? formatKeys('Cmd+C') : 'Ctrl+Shift+C',
          disabled: selection === '',
          run: () => copySelection(selection),
        },
        { id: 'selectAll', label: 'Select all', run: () => view?.selectAll() },
        { id: 'clear', label: 'Clear', icon: 'clear-all', run: () => view?.clear() },
        commandItem('terminal.find', 'Find…', { icon: 'search', shortcut: formatKeys(isMac ? 'Cmd+F' : 'Ctrl+F') }),
      ],
    },
    {
      items: [
        commandItem('terminal.addSelectionToChat', 'Add selection to chat', {
          icon: 'comment-discussion',
          shortcut: formatKeys(isMac ? 'Cmd+L' : 'Ctrl+L'),
          disabled: selection === '',
        }),
        commandItem('terminal.addOutputToChat', 'Add last output to chat'),
      ],
    },
    {
      items: [
        commandItem('terminal.split', 'Split', { icon: 'split-horizontal' }),
        commandItem('terminal.rename', 'Rename…', { icon: 'edit' }),
      ],
    },
  ]
}
