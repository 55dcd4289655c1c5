import { risks, type Mode, type Risk } from '../../shared/risk.ts'

export type Weight = 'allow' | 'ask' | 'refuse'

/** What each mode does with each risk. Every cell stands here, so that none is an accident of code. */
const table: Readonly<Record<Mode, Readonly<Record<Risk, Weight>>>> = {
  safe: { read: 'allow', write: 'ask', execute: 'ask', network: 'ask', destructive: 'ask' },
  cautious: { read: 'allow', write: 'allow', execute: 'ask', network: 'ask', destructive: 'ask' },
  paranoid: { read: 'ask', write: 'ask', execute: 'ask', network: 'ask', destructive: 'ask' },
  yolo: { read: 'allow', write: 'allow', execute: 'allow', network: 'allow', destructive: 'allow' },
  plan: { read: 'allow', write: 'refuse', execute: 'refuse', network: 'refuse', destructive: 'refuse' },
}

/** What a mode alone says about a risk. Grants, protected paths and unreadable commands are weighed by the gate. */
export function weigh(mode: Mode, risk: Risk): Weight {
  return table[mode][risk]
}

/** Whether a permission given for `granted` reaches to `risk`: never to a higher one. */
export function covers(granted: Risk, risk: Risk): boolean {
  return risks.indexOf(risk) <= risks.indexOf(granted)
}
