import { risks, type Mode, type Risk } from '../../shared/tools/risk.ts'

export type PolicyDecision = 'allow' | 'ask' | 'refuse'

/** The decision for each mode and risk. */
export const riskTable: Readonly<Record<Mode, Readonly<Record<Risk, PolicyDecision>>>> = {
  safe: { read: 'allow', write: 'ask', execute: 'ask', network: 'ask', destructive: 'ask' },
  cautious: { read: 'allow', write: 'allow', execute: 'ask', network: 'ask', destructive: 'ask' },
  paranoid: { read: 'ask', write: 'ask', execute: 'ask', network: 'ask', destructive: 'ask' },
  yolo: { read: 'allow', write: 'allow', execute: 'allow', network: 'allow', destructive: 'allow' },
  plan: { read: 'allow', write: 'refuse', execute: 'refuse', network: 'refuse', destructive: 'refuse' },
}

/** Kinds of command lines. The first kind that fits applies. */
export const commandKinds = {
  /** Each command has a shipped read-only form. */
  readOnly: 'read-only',
  /** A user rule allows each command, or the whole line. */
  ruled: 'allowed by a rule',
  /** It can be parsed, runs in the sandbox without network, deletes nothing permanently, and the folder is trusted. */
  sandboxed: 'sandboxed without network',
  other: 'other',
} as const
export type CommandKind = keyof typeof commandKinds

/** The decision for each mode and kind of command line. Places, deny rules and ask rules take precedence. */
export const commandTable: Readonly<Record<Mode, Readonly<Record<CommandKind, PolicyDecision>>>> = {
  safe: { readOnly: 'allow', ruled: 'allow', sandboxed: 'ask', other: 'ask' },
  cautious: { readOnly: 'allow', ruled: 'allow', sandboxed: 'allow', other: 'ask' },
  paranoid: { readOnly: 'ask', ruled: 'ask', sandboxed: 'ask', other: 'ask' },
  yolo: { readOnly: 'allow', ruled: 'allow', sandboxed: 'allow', other: 'allow' },
  plan: { readOnly: 'allow', ruled: 'refuse', sandboxed: 'refuse', other: 'refuse' },
}

/** Returns a mode's decision for a risk. The gate adds grants, protected paths and unparsable commands. */
export function decisionFor(mode: Mode, risk: Risk): PolicyDecision {
  return riskTable[mode][risk]
}

/** Whether a grant for the risk `granted` covers calls of `risk`: the same risk or a lower one. */
export function isRiskCovered(granted: Risk, risk: Risk): boolean {
  return risks.indexOf(risk) <= risks.indexOf(granted)
}
