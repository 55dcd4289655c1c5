import { risks, type Mode, type Risk } from '../../shared/risk.ts'

export type PolicyDecision = 'allow' | 'ask' | 'refuse'

/** Decision of each mode for each risk. All cells are listed explicitly. */
const table: Readonly<Record<Mode, Readonly<Record<Risk, PolicyDecision>>>> = {
  safe: { read: 'allow', write: 'ask', execute: 'ask', network: 'ask', destructive: 'ask' },
  cautious: { read: 'allow', write: 'allow', execute: 'ask', network: 'ask', destructive: 'ask' },
  paranoid: { read: 'ask', write: 'ask', execute: 'ask', network: 'ask', destructive: 'ask' },
  yolo: { read: 'allow', write: 'allow', execute: 'allow', network: 'allow', destructive: 'allow' },
  plan: { read: 'allow', write: 'refuse', execute: 'refuse', network: 'refuse', destructive: 'refuse' },
}

/** Returns a mode's decision for a risk. The gate adds grants, protected paths and unparsable commands. */
export function decisionFor(mode: Mode, risk: Risk): PolicyDecision {
  return table[mode][risk]
}

/** Whether a grant at the risk `granted` covers `risk`, which must not be higher. */
export function covers(granted: Risk, risk: Risk): boolean {
  return risks.indexOf(risk) <= risks.indexOf(granted)
}
