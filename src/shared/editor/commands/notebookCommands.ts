import type { CommandRow } from './commandRow.ts'

/** Keys of cells, such as Shift+Enter, are in src/renderer/notebook/notebookKeys.ts. */
export const notebookCommands = [
  {
    id: 'notebook.runAll',
    title: 'Run all cells',
    otherNames: 'Notebook, execute',
    category: 'Run',
    when: 'notebook',
    menuGroup: 5,
  },
  {
    id: 'notebook.interrupt',
    title: 'Interrupt the kernel',
    otherNames: 'Notebook, stop',
    category: 'Run',
    when: 'notebook',
    menuGroup: 5,
  },
  {
    id: 'notebook.restart',
    title: 'Restart the kernel',
    otherNames: 'Notebook',
    category: 'Run',
    when: 'notebook',
    menuGroup: 5,
  },
  {
    id: 'notebook.stop',
    title: 'Stop the kernel',
    otherNames: 'Notebook, shut down, end',
    category: 'Run',
    when: 'notebook',
    menuGroup: 5,
  },
  {
    id: 'notebook.selectKernel',
    title: 'Select the kernel…',
    otherNames: 'Notebook, Python, Jupyter, change kernel',
    category: 'Run',
    when: 'notebook',
    menuGroup: 5,
  },
  {
    id: 'notebook.clearOutputs',
    title: 'Clear all outputs',
    otherNames: 'Notebook',
    category: 'Edit',
    when: 'notebook',
  },
  {
    id: 'notebook.showText',
    title: 'Show notebook as text, or as cells',
    otherNames: 'Reopen editor with',
    category: 'View',
    when: 'notebook',
  },
] as const satisfies readonly CommandRow[]
