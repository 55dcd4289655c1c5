import { modelNames } from '../../shared/models/modelName.ts'
import { randomUUID } from 'node:crypto'
import type { ModelFacts, ModelReport } from '../../shared/models/modelCheck.ts'
import { optionsOf } from '../model/clients/modelOptions.ts'
import type { CheckState } from './checkSteps.ts'
import { combineObservations } from './observations.ts'
import { recommend, serverFindings, verdictOf } from './verdict.ts'

/** Returns the report of a check that has ended. @param at when it began, in milliseconds since the epoch */
export function createReport(state: CheckState, at: number): ModelReport {
  const { choice } = state.options
  const { endpoints, platform, settings, options, total, serverProblem } = state
  const joined = combineObservations(state.observations)
  const facts: ModelFacts = {
    ...state.facts,
    ...joined.facts,
    ...(joined.speed !== undefined &&
      state.facts.speed?.generation === undefined &&
      combineSpeeds(state.facts, { speed: { generation: joined.speed, reported: false } })),
    // A model that called a tool in the probe, but in no task, can still call tools.
    ...(joined.facts.calls === 'none' && state.facts.calls !== undefined && { calls: state.facts.calls }),
    // Tizona writes the calls of guided turns.
    ...(state.guided && joined.facts.calls !== 'none' && joined.facts.calls && { calls: 'guided' as const }),
  }
  const findings = new Map([...joined.findings, ...state.findings, ...serverFindings(facts)])
  const steps = [...state.steps.values()]
  const ending: ModelReport['ended'] = options.signal.aborted
    ? 'cancelled'
    : serverProblem !== undefined
      ? 'server_failed'
      : total.aborted
        ? 'time_limit'
        : 'complete'
  const status = endpoints.cachedStatuses().find(({ endpoint }) => endpoint.id === choice.endpointId)
  const endpoint = endpoints.get(choice.endpointId)
  const general = settings()
  const { temperature = general.temperature } = endpoint ? optionsOf(endpoint, choice.model) : {}
  return {
    id: randomUUID(),
    at,
    ms: Date.now() - at,
    endpointId: choice.endpointId,
    model: choice.model,
    api: endpoint?.kind ?? 'openai',
    ...(status?.server !== undefined && { server: status.server }),
    version: platform.version,
    ended: ending,
    ...(serverProblem !== undefined && { problem: serverProblem }),
    steps,
    facts,
    findings: [...findings].map(([code, count]) => ({ code, count })),
    verdict: verdictOf(steps, findings, ending),
    recommendation: recommend(facts, findings, steps, {
      model: modelNames(choice.model, endpoints.modelInfo(choice)?.originalName),
      settings: { ...general, temperature },
      ...(state.guided && { guided: state.guided }),
    }),
  }
}

/** Combines the speeds of two probes. They count as reported if the server reported one of them. */
export function combineSpeeds({ speed: before }: ModelFacts, { speed: now }: ModelFacts): Pick<ModelFacts, 'speed'> {
  if (!before && !now) return {}
  return { speed: { ...before, ...now, reported: now?.reported === true || before?.reported === true } }
}
