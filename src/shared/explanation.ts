import type { Mode } from './risk.ts'

export type Verdict = 'allow' | 'ask' | 'refuse'

/**
 * What decided. `readOnly`: a shipped rule; `rule`: a rule of the user; `session`: a decision for this session; `place`: a
 * protected or secret path; `parser`: the line cannot be read; `sandbox`: where the command runs; `trust`: the folder is
 * not trusted; `loss`: it deletes for good; `mode`: the mode.
 */
export type ExplanationSource =
  | 'readOnly'
  | 'rule'
  | 'session'
  | 'place'
  | 'parser'
  | 'sandbox'
  | 'trust'
  | 'loss'
  | 'mode'

/** Why one command of a line may run or not. */
export interface CommandExplanation {
  /** Its words. */
  command: string
  verdict: Verdict
  source: ExplanationSource
  /** The rule that matched. */
  rule?: string
  /** A sentence. */
  why: string
}

/** Why a command line runs, needs approval or is refused. */
export interface Explanation {
  verdict: Verdict
  mode: Mode
  source: ExplanationSource
  /** The rule that decided for the whole line. */
  rule?: string
  /** A sentence. */
  reason: string
  /** Of each command in the line. Empty if the line cannot be parsed. */
  commands: CommandExplanation[]
}
