import { toolCallMethodTexts } from '../settings/toolCallMethods.ts'
import { formatDuration } from '../text/formatDuration.ts'
import { formatNumber } from '../text/formatNumber.ts'
import { formatTokens } from '../text/formatTokens.ts'
import { plural } from '../text/plural.ts'
import type {
  CheckStep,
  CheckStepResult,
  FindingCode,
  ModelFacts,
  ModelReport,
  Recommendation,
  Verdict,
} from './modelCheck.ts'
import { profileTexts } from '../agent/profileTexts.ts'
import { toolsetLabels } from '../tools/toolsetTexts.ts'

// Texts of a report, for the window, the command line and exports.

export const verdictTexts: Readonly<Record<Verdict, { label: string; detail: string }>> = {
  good: { label: 'Works well', detail: 'The model solved every task without help.' },
  usable: {
    label: 'Usable',
    detail: 'The model reads, edits and repairs code, with mistakes that Tizona compensates for.',
  },
  limited: { label: 'Limited', detail: 'The model can help with some tasks, but cannot be trusted with changes.' },
  unsuitable: { label: 'Unsuitable', detail: 'The model cannot work as an agent. It may still answer questions.' },
  unfinished: { label: 'No verdict', detail: 'Too few tasks finished for a verdict.' },
}

/** The label and meaning of each finding. `problem`: it makes the model or its server less useful. */
export const findingTexts: Readonly<Record<FindingCode, { label: string; detail: string; level: 'info' | 'problem' }>> =
  {
    calls_as_text: {
      label: 'Calls as text',
      detail: 'The model writes tool calls as text. Tizona parses them.',
      level: 'info',
    },
    no_calls: {
      label: 'No calls',
      detail: 'The model called no tool, so it can neither read nor change files.',
      level: 'problem',
    },
    guided_calls: {
      label: 'Guided turns',
      detail: 'The model calls no tool by itself. In guided turns, it picks each step from a list of possible ones.',
      level: 'info',
    },
    tools_dropped: {
      label: 'Tools dropped',
      detail: 'The server accepts tools but leaves them out of the prompt, so Tizona describes them there.',
      level: 'info',
    },
    no_tool_template: {
      label: 'No native tools',
      detail:
        'The server cannot pass tools on to this model, often because its chat template has none. Tizona describes them in the prompt.',
      level: 'info',
    },
    repeated_text: {
      label: 'Endless answers',
      detail: 'The model repeated itself or did not stop writing, so its answers were ended.',
      level: 'problem',
    },
    broken_arguments: {
      label: 'Broken arguments',
      detail: 'The model wrote arguments that are not valid JSON. Tizona repaired those that were unambiguous.',
      level: 'problem',
    },
    argument_types: {
      label: 'Wrong argument types',
      detail: 'The model wrote numbers or lists as text. Tizona converted them.',
      level: 'problem',
    },
    inexact_edits: {
      label: 'Inexact copies',
      detail: 'The model copied code with different spacing than in the file. Tizona still found it.',
      level: 'problem',
    },
    repeated_calls: {
      label: 'Repetition',
      detail:
        'The model repeated the same call with the same result. Tizona warns the model, and stops the turn if it continues.',
      level: 'problem',
    },
    announced_calls: {
      label: 'Announced calls',
      detail: 'The model announced a step and stopped. Tizona prompted it to continue.',
      level: 'problem',
    },
    empty_answers: {
      label: 'Empty answers',
      detail: 'The model returned an empty answer. Tizona prompted it to continue.',
      level: 'problem',
    },
    syntax_errors: {
      label: 'Syntax errors',
      detail: 'Edits by the model broke the syntax of a file. Tizona reported it to the model.',
      level: 'problem',
    },
    code_errors: {
      label: 'Errors in code',
      detail: 'Edits by the model caused errors such as unknown names. Tizona reported them to the model.',
      level: 'problem',
    },
    unknown_tools: {
      label: 'Unknown tools',
      detail: 'The model called tools that do not exist, or used the parameters of another tool.',
      level: 'problem',
    },
    ignored_refusal: {
      label: 'Ignored refusal',
      detail: 'The model worked around a call that the user had refused.',
      level: 'problem',
    },
    window_cut_silently: {
      label: 'Silent truncation',
      detail: 'The server drops the start of long prompts without an error, so the model forgets its instructions.',
      level: 'problem',
    },
    window_smaller: {
      label: 'Smaller context window',
      detail: 'The server accepts fewer tokens than the stated context size.',
      level: 'info',
    },
    no_cache: {
      label: 'No prompt cache',
      detail: 'The server processes the whole prompt again in each turn, so long conversations become slow.',
      level: 'problem',
    },
    failed_requests: {
      label: 'Failed requests',
      detail: 'The server failed in the middle of tasks. Check its log, and repeat the check for a verdict.',
      level: 'problem',
    },
  }

const stateTexts: Readonly<Record<CheckStepResult['state'], string>> = {
  waiting: 'Waiting',
  running: 'Running',
  passed: 'Passed',
  failed: 'Failed',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
}

/** Describes the state of a step. If the model has no vision, the step did not fail. */
export function stepStateText(step: CheckStep, state: CheckStepResult['state']): string {
  return step === 'vision' && state === 'failed' ? 'Not supported' : stateTexts[state]
}

export const endedTexts: Readonly<Record<ModelReport['ended'], string>> = {
  complete: 'Complete',
  cancelled: 'Cancelled',
  time_limit: 'Ended at the time limit',
  server_failed: 'Ended because the server failed',
}

/** Shown for a check that ended early: its recommended settings lack measurements. */
export const unfinishedCheck = {
  message: 'The check did not finish, so its settings cannot be applied.',
  hint: 'Run the check again.',
}

export interface FactRow {
  name: string
  value: string
}

/** Describes the facts about a model and its server. */
export function factRows(facts: ModelFacts): FactRow[] {
  const { firstTokenMs, thinking, vision } = facts
  const rows: (FactRow | undefined)[] = [
    row('Tool calls', callsText(facts)),
    row('Two calls in one answer', yesNo(facts.callsAtOnce)),
    row('Context window', windowText(facts)),
    row('Prompt tokens', speedText(facts.speed?.prompt, facts.speed?.reported)),
    row('Generated tokens', speedText(facts.speed?.generation, facts.speed?.reported)),
    row('First token', firstTokenMs === undefined ? undefined : formatDuration(firstTokenMs)),
    row('Prompt cache', cacheText(facts)),
    row('Images', vision && { yes: 'Recognized', no: 'Not recognized', refused: 'Not accepted' }[vision]),
    row('Thinking', yesNo(thinking)),
  ]
  return rows.filter((each) => each !== undefined)
}

function row(name: string, value: string | undefined): FactRow | undefined {
  return value === undefined ? undefined : { name, value }
}

const yesNo = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? 'Yes' : 'No'

function callsText({ calls, dialect }: ModelFacts): string | undefined {
  const texts = {
    native: 'Native',
    text: dialect === undefined ? 'As text' : `As text (${dialect})`,
    both: dialect === undefined ? 'Native and as text' : `Native and as text (${dialect})`,
    none: 'None',
    guided: 'In guided turns',
  }
  return calls && texts[calls]
}

export interface RecommendationRow extends FactRow {
  reason: string
}

export function recommendationRows(recommendation: Recommendation): RecommendationRow[] {
  const { profile, contextWindow, temperature, toolset, calls } = recommendation
  return [
    { name: 'Prompt profile', value: profileTexts[profile.value].label, reason: profile.reason },
    ...(contextWindow
      ? [{ name: 'Context size', value: formatNumber(contextWindow.value), reason: contextWindow.reason }]
      : []),
    { name: 'Temperature', value: formatNumber(temperature.value, 1), reason: temperature.reason },
    { name: 'Toolset', value: toolsetLabels[toolset.value], reason: toolset.reason },
    ...(calls ? [{ name: 'Tool calling', value: toolCallMethodTexts[calls.value], reason: calls.reason }] : []),
  ]
}

/** Describes how much of a prompt arrived, and what happened to longer prompts. */
export function windowText({ window }: ModelFacts): string | undefined {
  if (!window) return undefined
  const { assumed, complete, unconfirmed, beyond, limit } = window
  const tokens = plural(complete, 'token')
  const arrived = unconfirmed ? `${tokens} were accepted, but may not have arrived.` : `${tokens} arrived.`
  const atLimit = limit === undefined ? undefined : formatNumber(limit)
  const longer = {
    refused: atLimit ? `Longer prompts are refused (limit: ${atLimit}).` : 'Longer prompts are refused.',
    cut: atLimit
      ? `Longer prompts are truncated silently (limit: ${atLimit}).`
      : 'Longer prompts are truncated silently.',
    untested: 'Longer prompts were not tested.',
  }[beyond]
  const stated = assumed === undefined ? 'No size is stated.' : `Stated size: ${formatNumber(assumed)}.`
  return `${arrived} ${longer} ${stated}`
}

/** Formats the context size for a table: the limit, or else the longest prompt that arrived. */
export function windowSizeText({ window }: ModelFacts): string | undefined {
  if (!window) return undefined
  if (window.limit !== undefined) return formatTokens(window.limit)
  return window.unconfirmed ? undefined : `≥ ${formatNumber(window.complete)}`
}

function speedText(speed: number | undefined, reported = false): string | undefined {
  if (speed === undefined) return undefined
  const number = formatNumber(speed, speed < 10 ? 1 : 0)
  return reported ? `${number} per second` : `${number} per second (measured by Tizona)`
}

function cacheText({ cache }: ModelFacts): string | undefined {
  if (!cache) return undefined
  const percent = cache.share === undefined ? undefined : `${Math.round(cache.share * 100)} %`
  if (percent !== undefined)
    return cache.hit === 'unknown' ? `${percent} reported, but not faster` : `${percent} of the second prompt`
  return { yes: 'Used', no: 'Not used', unknown: 'Too fast to measure' }[cache.hit]
}
