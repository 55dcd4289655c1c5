import type { CommandRow } from './commandRow.ts'

export const terminalCommands = [
  {
    id: 'terminal.new',
    title: 'New terminal',
    category: 'Terminal',
    keys: ['Ctrl+Shift+`'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'terminal.toggle',
    title: 'Toggle terminal',
    category: 'Terminal',
    keys: ['Ctrl+`'],
    when: 'workspace',
    menuGroup: 1,
  },
  /** Argument: a command line, which runs in a new terminal. */
  { id: 'terminal.run', title: 'Run in terminal', category: 'Terminal', hidden: true },
  /** Argument: the path of a folder. */
  { id: 'terminal.openIn', title: 'Open in terminal', category: 'Terminal', hidden: true },
  {
    id: 'terminal.split',
    title: 'Split terminal',
    category: 'Terminal',
    keys: ['Ctrl+Shift+5'],
    when: 'workspace',
    menuGroup: 1,
  },
  { id: 'terminal.rename', title: 'Rename terminal…', category: 'Terminal', when: 'workspace' },
  {
    id: 'terminal.clear',
    title: 'Clear terminal',
    otherNames: 'Clear scrollback',
    category: 'Terminal',
    when: 'workspace',
    menuGroup: 1,
  },
  { id: 'terminal.find', title: 'Find in terminal', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.focusNext', title: 'Focus next terminal in split', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.focusPrevious', title: 'Focus previous terminal in split', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.runSelection', title: 'Run selected text in terminal', category: 'Terminal', when: 'file' },
  {
    id: 'terminal.addSelectionToChat',
    title: 'Add terminal selection to chat',
    category: 'Terminal',
    when: 'workspace',
  },
  {
    id: 'terminal.addOutputToChat',
    title: 'Add last terminal output to chat',
    category: 'Terminal',
    when: 'workspace',
  },
  { id: 'tasks.run', title: 'Run task…', category: 'Terminal', when: 'workspace', menuGroup: 2 },
  { id: 'tasks.runLast', title: 'Run last task', category: 'Terminal', when: 'workspace', menuGroup: 2 },
  { id: 'tests.runAtCursor', title: 'Run test at cursor', category: 'Terminal', when: 'file', menuGroup: 2 },
  { id: 'tests.list', title: 'Run test…', category: 'Terminal', when: 'file', menuGroup: 2 },
  {
    id: 'jobs.show',
    title: 'Show jobs and terminals',
    category: 'Terminal',
    when: 'workspace',
    menuGroup: 1,
  },
] as const satisfies readonly CommandRow[]
