import type { CommandRow } from './commandRow.ts'

/** The keys are those of VS Code. While a program runs, F6 (`region.next`) pauses it. */
export const debugCommands = [
  {
    id: 'debug.start',
    title: 'Start debugging or continue',
    otherNames: 'Run, resume',
    category: 'Run',
    keys: ['F5'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'debug.choose',
    title: 'Start debugging…',
    otherNames: 'Select and start debugging, launch configuration',
    category: 'Run',
    when: 'workspace',
    menuGroup: 1,
  },
  /** Argument: a path. Default: the active file. */
  { id: 'debug.file', title: 'Debug this file', category: 'Run', when: 'workspace', menuGroup: 1 },
  { id: 'debug.test', title: 'Debug test at cursor', category: 'Run', when: 'file', menuGroup: 1 },
  { id: 'debug.stop', title: 'Stop debugging', category: 'Run', keys: ['Shift+F5'], when: 'debugging', menuGroup: 1 },
  {
    id: 'debug.restart',
    title: 'Restart debugging',
    category: 'Run',
    keys: ['Mod+Shift+F5'],
    when: 'debugging',
    menuGroup: 1,
  },
  {
    id: 'debug.pause',
    title: 'Pause the program',
    otherNames: 'Break',
    category: 'Run',
    when: 'debugRunning',
    menuGroup: 2,
  },
  { id: 'debug.stepOver', title: 'Step over', category: 'Run', keys: ['F10'], when: 'debugStopped', menuGroup: 2 },
  { id: 'debug.stepInto', title: 'Step into', category: 'Run', keys: ['F11'], when: 'debugStopped', menuGroup: 2 },
  { id: 'debug.stepOut', title: 'Step out', category: 'Run', keys: ['Shift+F11'], when: 'debugStopped', menuGroup: 2 },
  {
    id: 'debug.toggleBreakpoint',
    title: 'Toggle breakpoint',
    category: 'Run',
    keys: ['F9'],
    when: 'file',
    menuGroup: 3,
  },
  {
    id: 'debug.conditionalBreakpoint',
    title: 'Add conditional breakpoint…',
    category: 'Run',
    when: 'file',
    menuGroup: 3,
  },
  { id: 'debug.logpoint', title: 'Add logpoint…', category: 'Run', when: 'file', menuGroup: 3 },
  { id: 'debug.removeBreakpoints', title: 'Remove all breakpoints', category: 'Run', when: 'workspace', menuGroup: 3 },
] as const satisfies readonly CommandRow[]
