import type { Mode, Risk } from './risk.ts'

/** Labels of the modes. `asks`: which calls need approval. */
export const modeTexts: Readonly<Record<Mode, { label: string; asks: string; icon: string }>> = {
  safe: { label: 'Safe', asks: 'Asks before everything except reading', icon: 'shield' },
  cautious: {
    label: 'Cautious',
    asks: 'Edits without asking; asks before commands, network access and deletion',
    icon: 'eye',
  },
  paranoid: { label: 'Paranoid', asks: 'Asks before everything, including reading', icon: 'lock' },
  yolo: { label: 'Yolo', asks: 'Asks only before changing protected files', icon: 'zap' },
  plan: { label: 'Plan', asks: 'Reads only; changes nothing', icon: 'checklist' },
}

/** Labels of the risks, with the colour of their badge. */
export const riskTexts: Readonly<Record<Risk, { label: string; tone: 'calm' | 'warning' | 'danger' }>> = {
  read: { label: 'Reads', tone: 'calm' },
  write: { label: 'Writes files', tone: 'warning' },
  execute: { label: 'Runs a command', tone: 'warning' },
  network: { label: 'Uses the network', tone: 'warning' },
  destructive: { label: 'Destructive', tone: 'danger' },
}
