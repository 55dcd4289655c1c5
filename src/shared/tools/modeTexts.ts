import type { Mode, Risk } from './risk.ts'

/** Labels and icons of the modes. `detail` describes which calls need approval. */
export const modeTexts: Readonly<Record<Mode, { label: string; detail: string; icon: string }>> = {
  safe: { label: 'Safe', detail: 'Asks before everything except reading and read-only commands', icon: 'shield' },
  cautious: {
    label: 'Cautious',
    detail:
      'Edits and runs sandboxed commands without asking; asks before network access and deletion, and outside the sandbox',
    icon: 'eye',
  },
  paranoid: { label: 'Paranoid', detail: 'Asks before everything, including reading', icon: 'lock' },
  yolo: {
    label: 'Yolo',
    detail: 'Asks only before changing protected files, using secret files, or running what your rules may deny',
    icon: 'zap',
  },
  plan: { label: 'Plan', detail: 'Reads and runs read-only commands; changes nothing', icon: 'checklist' },
}

/** Labels of the risks. `tone` selects the badge's color. */
export const riskTexts: Readonly<Record<Risk, { label: string; tone: 'calm' | 'warning' | 'danger' }>> = {
  read: { label: 'Reads', tone: 'calm' },
  write: { label: 'Writes files', tone: 'warning' },
  execute: { label: 'Runs a command', tone: 'warning' },
  network: { label: 'Uses the network', tone: 'warning' },
  destructive: { label: 'Destructive', tone: 'danger' },
}
