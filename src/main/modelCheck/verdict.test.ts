import { describe, expect, it } from 'vitest'
import { taskSteps, type CheckStepResult, type FindingCode, type ModelFacts } from '../../shared/models/modelCheck.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { recommend, serverFindings, verdictOf } from './verdict.ts'

const settings = settingsSchema.parse({})
const steps = (failed: readonly string[] = [], left: readonly string[] = []): CheckStepResult[] =>
  taskSteps.map((step) => ({
    step,
    state: left.includes(step) ? 'skipped' : failed.includes(step) ? 'failed' : 'passed',
  }))
const found = (...codes: FindingCode[]): Map<FindingCode, number> => new Map(codes.map((code) => [code, 1]))
const advice = (facts: ModelFacts, findings = found(), results = steps(), model = 'tiny', change = {}) =>
  recommend(facts, findings, results, { model, settings: { ...settings, ...change } })

describe('the verdict', () => {
  it.each([
    ['good', [], [], found()],
    ['good', [], [], found('calls_as_text', 'window_smaller')],
    ['good', [], ['repair'], found()],
    ['usable', [], [], found('broken_arguments')],
    ['usable', ['two-calls'], [], found()],
    ['limited', ['repair'], [], found()],
    ['limited', ['refusal'], [], found('ignored_refusal')],
    ['unsuitable', [], [], found('no_calls')],
    ['unsuitable', taskSteps, [], found()],
    ['unsuitable', taskSteps.filter((step) => step !== 'refusal'), [], found('guided_calls')],
    ['unfinished', [], taskSteps, found()],
  ] as const)('is %s if %j fail and %j are skipped', (verdict, failed, left, findings) => {
    expect(verdictOf(steps(failed, left), findings, 'complete')).toBe(verdict)
  })

  it('is not given if the server failed in the middle of a task for a change, which is no failure of the model', () => {
    const broken = (...names: string[]): CheckStepResult[] =>
      steps(names).map((step) => (step.state === 'failed' ? { ...step, serverFailed: true } : step))
    expect(verdictOf(broken('edit'), found('failed_requests'), 'complete')).toBe('unfinished')
    expect(verdictOf(broken('two-calls'), found('failed_requests'), 'complete')).toBe('usable')
    const large: ModelFacts = { window: { assumed: 65_536, complete: 60_000, beyond: 'untested' } }
    expect(advice(large, found('failed_requests'), broken('edit', 'repair', 'read')).profile.value).toBe('auto')
  })

  it('is not given for a part of the tasks after a cancellation or a failed server', () => {
    expect(verdictOf(steps([], ['refusal']), found(), 'cancelled')).toBe('unfinished')
    expect(verdictOf(steps(), found(), 'server_failed')).toBe('unfinished')
  })
})

describe('the recommended context size', () => {
  it('is what arrives, if the server silently cuts below the stated size', () => {
    const facts: ModelFacts = { window: { assumed: 32_768, complete: 3900, beyond: 'cut', limit: 4090 } }
    expect(advice(facts).contextWindow).toMatchObject({ value: 3840, reason: expect.stringContaining('silently') })
    expect(advice(facts).profile).toMatchObject({ value: 'auto', reason: expect.stringContaining('Minimal') })
    expect([...serverFindings(facts).keys()]).toEqual(['window_cut_silently'])
  })

  it('is what the server accepts, if it states nothing or more', () => {
    expect(advice({ window: { complete: 4000, beyond: 'refused', limit: 8192 } }).contextWindow?.value).toBe(8192)
    const smaller: ModelFacts = { window: { assumed: 16_384, complete: 4000, beyond: 'refused', limit: 8192 } }
    expect(advice(smaller).contextWindow?.value).toBe(8192)
    expect([...serverFindings(smaller).keys()]).toEqual(['window_smaller'])
  })

  it('is left to the server if it was right, or if longer prompts were not tested', () => {
    const right: ModelFacts = { window: { assumed: 8192, complete: 7800, beyond: 'refused', limit: 8192 } }
    expect(advice(right).contextWindow).toBeUndefined()
    expect(advice({ window: { assumed: 131_072, complete: 48_000, beyond: 'untested' } }).contextWindow).toBeUndefined()
    expect(serverFindings(right).size).toBe(0)
  })
})

describe('the other recommended settings', () => {
  it('have a higher temperature for models that think or repeat themselves, and a lower one for inexact ones', () => {
    expect(advice({ thinking: true }).temperature.value).toBe(0.6)
    expect(advice({}, found('repeated_calls')).temperature.value).toBe(0.5)
    expect(advice({}, found('broken_arguments')).temperature.value).toBe(0.1)
    expect(advice({}).temperature.value).toBe(settings.temperature)
  })

  it('have fewer tools for a model that mixes them up, if the user has chosen more than the automatic profile', () => {
    const large: ModelFacts = { window: { assumed: 65_536, complete: 60_000, beyond: 'untested' } }
    const confused = advice(large, found('unknown_tools'), steps(), 'tiny', { profile: 'full' }).profile
    expect(confused).toMatchObject({ value: 'auto', reason: expect.stringContaining('mixes up tools') })
    expect(advice(large, found(), steps(['edit', 'repair', 'read']), 'tiny', { profile: 'medium' }).profile.value).toBe(
      'auto',
    )
    expect(advice(large).profile.value).toBe('auto')
  })

  const only: CheckStepResult[] = [{ step: 'answer', state: 'passed' }]
  const window = (assumed: number): ModelFacts => ({ window: { assumed, complete: assumed, beyond: 'untested' } })
  it.each([
    ['no task ran', {}, found(), only, 'No task showed how the model handles tools.'],
    ['no task ran, in a known context', window(65_536), found(), only, 'No task showed how the model handles tools.'],
    [
      'tasks failed',
      {},
      found(),
      steps(['read', 'edit'], ['repair', 'two-calls', 'long-file', 'refusal']),
      'The model solved no task.',
    ],
    ['the model calls nothing', {}, found('no_calls'), steps(taskSteps), 'The model called no tool.'],
    ['fewer tools were enough', {}, found(), steps(), 'Nothing suggests another profile.'],
    [
      'there are few tools already',
      window(65_536),
      found('unknown_tools'),
      steps(),
      'The model mixes up tools or arguments, and fewer tools are easier to tell apart.',
    ],
  ])('keep a profile that the user has chosen if %s', (_, facts, findings, results, why) => {
    const { profile } = advice(facts, findings, results, 'tiny', { profile: 'compact' })
    expect(profile).toEqual({ value: 'compact', reason: `${why} "Compact" is kept.` })
  })

  it('replace a profile that is too large for the context, and one after solved tasks', () => {
    expect(advice(window(4096), found(), only, 'tiny', { profile: 'full' }).profile.value).toBe('auto')
    expect(advice(window(65_536), found(), steps(), 'tiny', { profile: 'compact' }).profile.value).toBe('auto')
    expect(advice({}, found(), steps()).profile).toEqual({ value: 'auto', reason: 'The model handles all tools.' })
  })

  it('do not claim that a model handles tools that it did not use', () => {
    for (const [findings, results] of [
      [found(), only],
      [found('no_calls'), steps(taskSteps)],
    ] as const)
      expect(advice({}, findings, results).profile).toMatchObject({
        value: 'auto',
        reason: expect.stringContaining('"Automatic (by context size)" is kept.'),
      })
  })

  it('have the toolset of the family, if it is known', () => {
    expect(advice({}, found(), steps(), 'gpt-oss:20b').toolset.value).toBe('rusty')
    expect(advice({}).toolset.value).toBe(settings.toolset)
  })
})
