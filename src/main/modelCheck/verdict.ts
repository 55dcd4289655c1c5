import { assumedWindow, profileFor } from '../../shared/agent/contextAllocation.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import type {
  CheckStep,
  CheckStepResult,
  FindingCode,
  ModelFacts,
  ModelReport,
  Recommendation,
  TaskStep,
  Verdict,
} from '../../shared/models/modelCheck.ts'
import { taskSteps } from '../../shared/models/modelCheck.ts'
import { plural } from '../../shared/text/plural.ts'
import { profileTexts } from '../../shared/agent/profileTexts.ts'
import { isLarger } from '../../shared/agent/promptProfile.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { suggestToolset } from '../../shared/tools/toolsetSuggestion.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import type { CheckState } from './checkSteps.ts'

// Decisions of a check, without I/O.

/** Tasks that a model must solve to be able to change code. */
const coreTasks: readonly TaskStep[] = ['read', 'edit', 'repair']
const isTask = (step: CheckStep): boolean => taskSteps.some((task) => task === step)
/**
 * Whether a task requires the model to get something done. For the refusal task, the call is spelled out in the message
 * and has no effect.
 */
const isProof = (step: CheckStep): boolean => isTask(step) && step !== 'refusal'

/** Returns how well a model works as an agent. Only steps that ran count. */
export function verdictOf(
  steps: readonly CheckStepResult[],
  findings: ReadonlyMap<FindingCode, number>,
  ended: ModelReport['ended'],
): Verdict {
  const counted = steps.filter(({ serverFailed }) => !serverFailed)
  const state = (step: TaskStep) => counted.find((result) => result.step === step)?.state
  const ran = taskSteps.filter((step) => ['passed', 'failed'].includes(state(step) ?? ''))
  const passed = ran.filter((step) => state(step) === 'passed')
  if (steps.some(({ step, serverFailed }) => serverFailed && coreTasks.some((task) => task === step)))
    return 'unfinished'
  if (findings.has('no_calls')) return 'unsuitable'
  if (ran.length === 0 || ended === 'server_failed') return 'unfinished'
  if (ended === 'cancelled' && ran.length < taskSteps.length) return 'unfinished'
  if (!passed.some(isProof) && ran.some(isProof)) return 'unsuitable'
  if (coreTasks.some((step) => state(step) === 'failed')) return 'limited'
  if (findings.has('ignored_refusal')) return 'limited'
  return passed.length === ran.length && isFaultless(findings) ? 'good' : 'usable'
}

/** Findings that Tizona compensates for at no cost. */
const harmless: readonly FindingCode[] = [
  'calls_as_text',
  'guided_calls',
  'tools_dropped',
  'no_tool_template',
  'window_smaller',
]

function isFaultless(findings: ReadonlyMap<FindingCode, number>): boolean {
  return [...findings.keys()].every((code) => harmless.includes(code))
}

/** Derives findings from the facts about the server. */
export function serverFindings(facts: ModelFacts): Map<FindingCode, number> {
  const found = new Map<FindingCode, number>()
  const { window, cache } = facts
  if (facts.calls === 'text' || facts.calls === 'both') found.set('calls_as_text', 1)
  if (facts.calls === 'none') found.set('no_calls', 1)
  if (facts.calls === 'guided') found.set('guided_calls', 1)
  if (facts.toolsLost === 'template') found.set('no_tool_template', 1)
  if (facts.toolsLost === 'server') found.set('tools_dropped', 1)
  if (window?.beyond === 'cut') found.set('window_cut_silently', 1)
  else if (window?.limit !== undefined && window.assumed !== undefined && isBelow(window.limit, window.assumed))
    found.set('window_smaller', 1)
  if (cache?.hit === 'no') found.set('no_cache', 1)
  return found
}

/** Whether a limit is below the assumed one by more than the template's own tokens. */
function isBelow(limit: number, assumed: number): boolean {
  return limit < assumed * 0.9
}

export interface Current {
  model: string
  guided?: CheckState['guided']
  settings: Pick<Settings, 'profile' | 'temperature' | 'toolset' | 'suggestToolset'>
}

/** Makers of reasoning models recommend at least this temperature, because lower ones cause repetition. */
const thinkingTemperature = 0.6
/** Breaks repetition of calls without making arguments random. */
const repeatingTemperature = 0.5
/** Low enough for exact arguments. */
const exactTemperature = 0.1

/** Returns the settings that suit a model, each with its reason. */
export function recommend(
  facts: ModelFacts,
  findings: ReadonlyMap<FindingCode, number>,
  steps: readonly CheckStepResult[],
  current: Current,
): Recommendation {
  const contextWindow = recommendWindow(facts)
  return {
    profile: recommendProfile(contextWindow?.value ?? facts.window?.assumed, findings, steps, current.settings),
    ...(contextWindow && { contextWindow }),
    temperature: recommendTemperature(facts, findings, current),
    toolset: recommendToolset(current),
    ...recommendCalls(facts, steps, current),
  }
}

/** Recommends a way to call tools only if its tasks show that it works. */
function recommendCalls(
  { calls, toolsLost }: ModelFacts,
  steps: readonly CheckStepResult[],
  { guided }: Current,
): Pick<Recommendation, 'calls'> {
  const ran = steps.filter(({ step, state }) => isTask(step) && (state === 'passed' || state === 'failed'))
  const passed = ran.filter(({ state }) => state === 'passed')
  if (!passed.some(({ step }) => isProof(step))) return {}
  const solved = `${passed.length} of ${plural(ran.length, 'task')}`
  if (guided === 'tried' && calls === 'guided')
    return {
      calls: { value: 'guided', reason: `The model called no tool by itself. In guided turns it solved ${solved}.` },
    }
  if (toolsLost && calls === 'text')
    return {
      calls: {
        value: 'text',
        reason: `The server drops the tools. With tools described in the prompt, it solved ${solved}.`,
      },
    }
  return {}
}

function recommendWindow({ window }: ModelFacts): Recommendation['contextWindow'] {
  if (!window || window.beyond === 'untested' || window.limit === undefined) return undefined
  const { assumed, limit, beyond } = window
  if (assumed !== undefined && !isBelow(limit, assumed)) return undefined
  // Rounded down to leave room for a template's own tokens.
  const value = Math.max(1024, Math.floor(limit / 256) * 256)
  const size = plural(value, 'token')
  return {
    value,
    reason:
      beyond === 'cut'
        ? `The server silently drops the start of longer prompts. With ${size}, Tizona shortens them itself.`
        : `The server refuses more than ${size}.`,
  }
}

/** @param size of the context in tokens, if it is known */
function recommendProfile(
  size: number | undefined,
  findings: ReadonlyMap<FindingCode, number>,
  steps: readonly CheckStepResult[],
  { profile: current }: Current['settings'],
): Recommendation['profile'] {
  const ran = steps.filter(({ step, serverFailed }) => !serverFailed && isTask(step))
  const failed = ran.filter(({ state }) => state === 'failed').length
  const passed = ran.filter(({ state }) => state === 'passed').length
  const automatic = profileFor(size ?? assumedWindow)
  const keep = (why: string) => ({ value: current, reason: `${why} "${profileTexts[current].label}" is kept.` })

  const makesNoCalls = findings.has('no_calls')
  const isConfused = findings.has('unknown_tools') || findings.has('argument_types') || (failed >= 3 && !makesNoCalls)
  if (isConfused && current !== 'auto') {
    const why = 'The model mixes up tools or arguments, and fewer tools are easier to tell apart.'
    return isLarger(current, automatic) ? { value: 'auto', reason: why } : keep(why)
  }
  // Without a solved task, only the context size justifies replacing the user's choice.
  const fits = size === undefined || (current !== 'auto' && !isLarger(current, automatic))
  if (passed === 0 && fits) {
    if (makesNoCalls) return keep('The model called no tool.')
    return keep(failed > 0 ? 'The model solved no task.' : 'No task showed how the model handles tools.')
  }
  if (size !== undefined)
    return { value: 'auto', reason: `"${profileTexts[automatic].label}" suits a context of ${plural(size, 'token')}.` }
  return failed === 0 && (current === 'auto' || current === 'full')
    ? { value: 'auto', reason: 'The model handles all tools.' }
    : keep('Nothing suggests another profile.')
}

function recommendTemperature(
  { thinking }: ModelFacts,
  findings: ReadonlyMap<FindingCode, number>,
  { settings }: Current,
): Recommendation['temperature'] {
  if (thinking === true)
    return {
      value: Math.max(settings.temperature, thinkingTemperature),
      reason: 'The model reasons before it answers, and reasoning models repeat themselves at lower values.',
    }
  if (findings.has('repeated_calls'))
    return {
      value: Math.max(settings.temperature, repeatingTemperature),
      reason: 'The model repeated the same call, and a higher value breaks the repetition.',
    }
  if (findings.has('broken_arguments') || findings.has('inexact_edits'))
    return {
      value: Math.min(settings.temperature, exactTemperature),
      reason: 'The model makes mistakes in arguments, and a lower value makes them more exact.',
    }
  return {
    value: settings.temperature,
    reason: `Nothing suggests a value other than the current ${formatNumber(settings.temperature, 1)}.`,
  }
}

function recommendToolset({ model, settings }: Current): Recommendation['toolset'] {
  const known = suggestToolset(model)
  if (known) return { value: known.toolset, reason: known.why }
  return {
    value: settings.toolset,
    reason: `Nothing is known about this model family, so ${toolsetLabels[settings.toolset]} stays.`,
  }
}
