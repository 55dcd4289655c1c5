import { keymapChoices } from '../../editor/keymap.ts'
import type { SettingDeclaration } from './settingDeclaration.ts'

/** Which windows the desktop application restores at start. */
export const restoreChoices = ['none', 'last', 'all'] as const
export type RestoreChoice = (typeof restoreChoices)[number]

export const windowSettings = {
  theme: {
    group: 'editor',
    title: 'Theme',
    description: '',
    type: 'choice',
    options: ['dark', 'light', 'system', 'hc-dark', 'hc-light', 'imported'],
    texts: {
      dark: { label: 'Dark' },
      light: { label: 'Light' },
      system: { label: 'System', detail: 'Follows the system, including its contrast setting.' },
      'hc-dark': { label: 'High contrast dark' },
      'hc-light': { label: 'High contrast light' },
      imported: { label: 'Imported theme' },
    },
    editor: 'theme',
    default: 'system',
  },
  importedTheme: {
    group: 'editor',
    title: 'Imported theme',
    description: 'File name in `themes/` of the user data folder, or `EXTENSION/LABEL`, used by the theme `imported`.',
    type: 'text',
    maxLength: 500,
    // The `theme` control contains it.
    editor: 'none',
    default: '',
  },
  iconTheme: {
    group: 'editor',
    title: 'File icon theme',
    description: 'File icon theme of an extension as `EXTENSION/ID`. Empty: the icons of Tizona.',
    type: 'text',
    maxLength: 400,
    // The command "File icon theme" chooses it.
    editor: 'none',
    default: '',
  },
  keymap: {
    group: 'editor',
    title: 'Keyboard shortcuts',
    description: '',
    type: 'choice',
    options: keymapChoices,
    texts: {
      vscode: { label: 'VS Code', detail: 'Change single shortcuts with "Keyboard shortcuts" in the Help menu.' },
      cursor: { label: 'VS Code, with Ctrl+K as in Cursor', detail: 'Ctrl+K edits inline. Ctrl+M starts the chords.' },
    },
    default: 'vscode',
  },
  firstSteps: {
    group: 'editor',
    title: 'First steps',
    description: 'Whether the welcome page shows the first steps. `done`: the user has kept a first change.',
    type: 'choice',
    options: ['show', 'done', 'hidden'],
    texts: { show: { label: 'Show' }, done: { label: 'Done' }, hidden: { label: 'Hidden' } },
    // "First steps" in the Help menu shows them again.
    editor: 'none',
    default: 'show',
  },
  restoreWindows: {
    group: 'editor',
    title: 'Restore windows',
    description: '',
    type: 'choice',
    options: restoreChoices,
    texts: {
      all: {
        label: 'All windows of the last session',
        detail: 'Desktop only. A folder given on the command line opens alone.',
      },
      last: {
        label: 'The last active window',
        detail: 'Desktop only. A folder given on the command line opens alone.',
      },
      none: { label: 'An empty window', detail: 'Desktop only. A folder given on the command line opens alone.' },
    },
    default: 'all',
  },
} as const satisfies Record<string, SettingDeclaration>
