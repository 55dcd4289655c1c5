import type { ApprovalRule } from '../../shared/tools/approvalRules.ts'
import { ruleText } from '../../shared/tools/approvalRules.ts'
import type { CommandExplanation, Explanation } from '../../shared/tools/explanation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { sandboxText, type CommandSandbox } from '../../shared/commands/sandbox.ts'
import { commandTable, type CommandKind } from './modePolicy.ts'
import type { ReadOnlyMatch } from './readOnly/readOnlyCheck.ts'
import { commandText, findCommandRule, findLineRule, findRestriction, type Restriction } from './userRules.ts'
import type { HiddenCommands } from './commandsBehindLaunchers.ts'
import { truncate } from '../../shared/text/truncate.ts'

/** Facts that the decision about a command line is based on. */
export interface CommandFacts {
  line: string
  mode: Mode
  parsed: { plain: true; commands: readonly (readonly string[])[] } | { plain: false; reason: string }
  /** All commands that the line runs; undefined if no rule denies or asks. */
  found: HiddenCommands | undefined
  /** Result of the read-only check for each parsed command. */
  readOnly: readonly ReadOnlyMatch[]
  /** Words of each parsed command that are paths in the workspace and not secret. */
  insidePaths: readonly ReadonlySet<string>[]
  /** Rules of the user that apply in this folder. */
  rules: readonly ApprovalRule[]
  /** Why a path in the line needs approval in every mode: a sentence. Undefined if none does. */
  place?: string
  sandbox: CommandSandbox | undefined
  trusted: boolean
  /** Descriptions of permanent deletions and overwrites by the line. */
  losses: readonly string[]
  /** Why the line does not show everything that the command does: a sentence. */
  unclear?: string
  /** Why the user's rules are not fully known: a sentence. */
  rulesProblem?: string | undefined
}

/**
 * Decides about a command line and explains why. The gate, the card, the settings page and `tizona explain` all use
 * this decision.
 */
export function explainCommand(facts: CommandFacts): Explanation {
  const decision = decided(facts)
  const restriction = restricted(facts)
  // Plan mode refuses the command, so there is no approval request.
  return restriction === undefined || (decision.verdict === 'refuse' && restriction.verdict === 'ask')
    ? decision
    : restriction
}

/** Returns the decision of a deny rule, a protected place or an ask rule, which take precedence over the mode. */
function restricted(facts: CommandFacts): Explanation | undefined {
  const { rules, line, mode, place, found } = facts
  const restriction = (decision: 'deny' | 'ask'): Restriction | undefined => {
    const whole = findLineRule(rules, decision, line)
    if (whole !== undefined) return { rule: whole, command: line, certain: true }
    return found && findRestriction(rules, decision, found)
  }
  const explained = ({ rule, command }: Restriction, verdict: 'refuse' | 'ask'): Explanation => {
    const text = ruleText(rule)
    const denies = verdict === 'refuse'
    return {
      verdict,
      mode,
      source: 'rule',
      rule: text,
      reason: denies
        ? `The rule "${text}" denies the command ${shown(command)}.`
        : `The rule "${text}" requires approval for the command ${shown(command)}.`,
      commands: [
        {
          command,
          verdict,
          source: 'rule',
          rule: text,
          why: denies ? `The rule "${text}" denies it.` : `The rule "${text}" requires approval for it.`,
        },
      ],
    }
  }
  const asks = (source: 'place' | 'hidden', reason: string): Explanation => {
    return { verdict: 'ask', mode, source, reason: `${reason} This requires approval in every mode.`, commands: [] }
  }
  const { rulesProblem } = facts
  const denied = restriction('deny')
  if (denied?.certain) return explained(denied, 'refuse')
  if (place !== undefined) return asks('place', place)
  const asked = restriction('ask')
  if (asked?.certain) return explained(asked, 'ask')
  if (rulesProblem !== undefined) return asks('hidden', `${rulesProblem} A rule may deny the command.`)
  const possible = denied ?? asked
  if (possible !== undefined)
    return asks('hidden', `It may run ${shown(possible.command)}, which matches the rule "${ruleText(possible.rule)}".`)
  if (found?.unknown !== undefined) return asks('hidden', `It may run a command that your rules deny. ${found.unknown}`)
  return undefined
}

function decided(facts: CommandFacts): Explanation {
  const { mode, parsed, rules, line, sandbox } = facts
  const table = commandTable[mode]
  const commands = parsed.plain ? parsed.commands.map((words, index) => explainOne(facts, words, index)) : []
  const exact = findLineRule(rules, 'allow', line)
  const kind = kindOf(facts, commands, exact)
  const verdict = table[kind]
  const base = { verdict, mode, commands: withVerdict(commands, facts, verdict) }
  if (verdict === 'refuse')
    return { ...base, source: 'mode', reason: 'Plan mode is read-only and runs only read-only commands.' }
  if (mode === 'yolo') return { ...base, source: 'mode', reason: `Yolo mode runs every command.` }
  if (mode === 'paranoid' && parsed.plain && facts.unclear === undefined)
    return { ...base, source: 'mode', reason: `It runs a command, which requires approval in paranoid mode.` }
  if (kind === 'readOnly')
    return {
      ...base,
      source: 'readOnly',
      reason: `It runs only read-only commands, which need no approval in ${mode} mode.`,
    }
  if (kind === 'ruled') {
    const rule = exact === undefined ? undefined : ruleText(exact)
    return {
      ...base,
      source: 'rule',
      rule,
      reason: rule === undefined ? 'Your rules allow each command.' : `The rule "${rule}" allows it.`,
    }
  }
  if (verdict === 'allow' && sandbox !== undefined)
    return {
      ...base,
      source: 'sandbox',
      reason: `${sandboxText(sandbox)}. In a trusted folder, this needs no approval in ${mode} mode.`,
    }
  return { ...base, ...askingReason(facts) }
}

/** Returns the kind of a line, which selects its decision in `commandTable`. */
function kindOf(
  { parsed, sandbox, trusted, losses, unclear }: CommandFacts,
  commands: readonly CommandExplanation[],
  exact: ApprovalRule | undefined,
): CommandKind {
  if (parsed.plain && commands.every(({ source }) => source === 'readOnly')) return 'readOnly'
  if (exact !== undefined || (parsed.plain && commands.every(({ verdict }) => verdict === 'allow'))) return 'ruled'
  const contained = sandbox?.sandboxed === true && !sandbox.network
  return parsed.plain && contained && trusted && losses.length === 0 && unclear === undefined ? 'sandboxed' : 'other'
}

/** Returns the built-in or user rule that covers one command. */
function explainOne(facts: CommandFacts, words: readonly string[], index: number): CommandExplanation {
  const command = commandText(words)
  const match = facts.readOnly[index]
  if (match?.covered)
    return {
      command,
      verdict: 'allow',
      source: 'readOnly',
      rule: match.rule,
      why: `Read-only: the built-in rule \`${match.rule}\`.`,
    }
  const own = findCommandRule(facts.rules, 'allow', { words, insidePaths: facts.insidePaths[index] ?? new Set() })
  if (own !== undefined)
    return {
      command,
      verdict: 'allow',
      source: 'rule',
      rule: ruleText(own),
      why: `The rule "${ruleText(own)}" allows it.`,
    }
  const why = match === undefined ? 'No read-only rule covers it.' : match.why
  return { command, verdict: 'ask', source: 'mode', why: `Not read-only. ${why}` }
}

/** Replaces the verdict of each command where the mode overrides its rule. */
function withVerdict(
  commands: readonly CommandExplanation[],
  { mode, sandbox }: CommandFacts,
  verdict: Explanation['verdict'],
): CommandExplanation[] {
  if (mode === 'paranoid' || (mode === 'plan' && verdict === 'refuse'))
    return commands.map((command) =>
      command.source === 'readOnly' && mode === 'plan' ? command : { ...command, verdict },
    )
  if (verdict !== 'allow') return [...commands]
  return commands.map((command) => {
    if (command.verdict === 'allow') return command
    if (mode === 'yolo') return { ...command, verdict, why: 'Yolo mode runs it.' }
    return sandbox === undefined
      ? { ...command, verdict }
      : { ...command, verdict, source: 'sandbox', why: `${sandboxText(sandbox)}.` }
  })
}

/** Returns why a line without a matching rule needs approval. */
function askingReason({
  mode,
  parsed,
  sandbox,
  trusted,
  losses,
  unclear,
}: CommandFacts): Pick<Explanation, 'source' | 'reason'> {
  if (unclear !== undefined)
    return {
      source: 'unclear',
      reason: `It is not clear what the command does. ${unclear} It requires approval in ${mode} mode.`,
    }
  if (!parsed.plain)
    return {
      source: 'parser',
      reason: `The command cannot be parsed reliably, so it requires approval in ${mode} mode. ${parsed.reason}`,
    }
  if (mode !== 'cautious')
    return { source: 'mode', reason: `It runs a command, which requires approval in ${mode} mode.` }
  if (!trusted) return { source: 'trust', reason: 'It runs a command in a folder that you have not trusted.' }
  if (sandbox?.sandboxed !== true)
    return {
      source: 'sandbox',
      reason: `It runs a command outside the sandbox (${sandbox?.reason ?? 'no sandbox is available'}), which requires approval in cautious mode.`,
    }
  if (sandbox.network)
    return {
      source: 'sandbox',
      reason: 'It runs a command with network access, which requires approval in cautious mode.',
    }
  if (losses.length > 0)
    return {
      source: 'loss',
      reason: 'It permanently deletes or overwrites something, which requires approval in cautious mode.',
    }
  return { source: 'mode', reason: `It runs a command, which requires approval in ${mode} mode.` }
}

function shown(command: string): string {
  return `"${truncate(command, 200)}"`
}
