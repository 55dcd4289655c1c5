import type { Mode } from './risk.ts'

export type Verdict = 'allow' | 'ask' | 'refuse'

/**
 * What decided. `readOnly`: a built-in rule. `rule`: a user's rule. `session`: a decision for this session. `place`: a
 * protected or secret path. `parser`: the line cannot be parsed. `unclear`: an external agent did not report everything
 * that the command does. `hidden`: a deny or ask rule may match a command that the line hides. `sandbox`: where the
 * command runs. `trust`: the folder is not trusted. `loss`: the command deletes or overwrites something permanently.
 * `mode`: the mode.
 */
export type ExplanationSource =
  | 'readOnly'
  | 'rule'
  | 'session'
  | 'place'
  | 'parser'
  | 'unclear'
  | 'hidden'
  | 'sandbox'
  | 'trust'
  | 'loss'
  | 'mode'

/** Why one command of a line may or may not run. */
export interface CommandExplanation {
  /** The command's words, joined. */
  command: string
  verdict: Verdict
  source: ExplanationSource
  /** The rule that matched. */
  rule?: string
  /** The reason, as a sentence. */
  why: string
}

/** Why a command line runs, needs approval or is refused. */
export interface Explanation {
  verdict: Verdict
  mode: Mode
  source: ExplanationSource
  /** The rule that decided for the whole line. */
  rule?: string
  /** The reason, as a sentence. */
  reason: string
  /** One explanation for each command in the line. Empty if the line cannot be parsed. */
  commands: CommandExplanation[]
}
