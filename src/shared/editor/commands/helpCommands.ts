import type { CommandRow } from './commandRow.ts'

export const helpCommands = [
  { id: 'help.firstSteps', title: 'First steps', category: 'Help', menuGroup: 1 },
  { id: 'help.checkModel', title: 'Check my model', otherNames: 'Benchmark', category: 'Help', menuGroup: 1 },
  { id: 'tour.start', title: 'Take the tour', category: 'Help', menuGroup: 1 },
  { id: 'sample.open', title: 'Open the sample folder', category: 'Help', menuGroup: 1 },
  { id: 'help.keys', title: 'Keyboard shortcuts', category: 'Help', keys: ['Mod+K Mod+S'], menuGroup: 1 },
  { id: 'help.openLog', title: 'Open log', otherNames: 'Output, developer tools', category: 'Help', menuGroup: 2 },
  { id: 'audit.show', title: 'Show audit log', category: 'Help', menuGroup: 2 },
  { id: 'help.copyDiagnostics', title: 'Copy diagnostics', category: 'Help', menuGroup: 2 },
] as const satisfies readonly CommandRow[]
