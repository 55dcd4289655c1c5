import type { Mode, Risk } from './risk.ts'

/** The modes as the user reads them. */
export const modeTexts: Readonly<Record<Mode, { label: string; asks: string; icon: string }>> = {
  safe: { label: 'Safe', asks: 'Asks for everything but reading', icon: 'shield' },
  cautious: { label: 'Cautious', asks: 'Edits run; asks for commands, network and deleting', icon: 'eye' },
  paranoid: { label: 'Paranoid', asks: 'Asks for everything, reading included', icon: 'lock' },
  yolo: { label: 'Yolo', asks: 'Asks for nothing but protected files', icon: 'zap' },
  plan: { label: 'Plan', asks: 'Reads only, changes nothing', icon: 'checklist' },
}

/** The risks as the user reads them, with the tone of their badge. */
export const riskTexts: Readonly<Record<Risk, { label: string; tone: 'calm' | 'warning' | 'danger' }>> = {
  read: { label: 'Reads', tone: 'calm' },
  write: { label: 'Writes files', tone: 'warning' },
  execute: { label: 'Runs a command', tone: 'warning' },
  network: { label: 'Uses the network', tone: 'warning' },
  destructive: { label: 'Destructive', tone: 'danger' },
}
