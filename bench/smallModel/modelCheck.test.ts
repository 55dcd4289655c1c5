import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCore } from '../../src/main/core.ts'
import type { FindingCode, ModelChecksState, ModelReport, Verdict } from '../../src/shared/models/modelCheck.ts'
import { chosenCases } from '../../src/main/testing/longForm.ts'
import { inProcessIndex } from '../../src/main/testing/inProcessIndex.ts'
import { serveModel } from './endpoint.ts'
import { smallModels } from './models.ts'

const never = new AbortController().signal
const endpointId = 'scripted'

/** What the check must find out about each scripted model: its defect and nothing else. */
const expected: Readonly<Record<string, { verdict: Verdict; findings: FindingCode[] }>> = {
  native: { verdict: 'good', findings: [] },
  careless: { verdict: 'usable', findings: ['inexact_edits'] },
  hermes: { verdict: 'good', findings: ['calls_as_text'] },
  'qwen-coder': { verdict: 'good', findings: ['calls_as_text'] },
  'no-tools': { verdict: 'good', findings: ['calls_as_text', 'no_tool_template'] },
  'broken-json': { verdict: 'usable', findings: ['broken_arguments'] },
  'wrong-types': { verdict: 'usable', findings: ['argument_types'] },
  loops: { verdict: 'usable', findings: ['repeated_calls'] },
  promises: { verdict: 'usable', findings: ['announced_calls'] },
  silent: { verdict: 'usable', findings: ['empty_answers'] },
  hasty: { verdict: 'usable', findings: ['syntax_errors'] },
  misnames: { verdict: 'usable', findings: ['code_errors'] },
  '8k': { verdict: 'usable', findings: ['window_cut_silently'] },
}

// A check takes seconds; the long form checks all models.
test.each(chosenCases(smallModels, 2))(
  'the check of the model that $title finds that',
  { timeout: 240_000 },
  async (model) => {
    const userData = await mkdtemp(join(tmpdir(), 'tizona-model-check-user-'))
    const { endpoint } = await serveModel(model)
    const core = await createCore({
      platform: {
        host: 'headless',
        version: 'test',
        userData,
        fork: inProcessIndex,
        resources: join(import.meta.dirname, '..', '..', 'resources'),
      },
      settings: {
        endpoints: [{ id: endpointId, name: 'Scripted', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      },
    })
    try {
      const ended = Promise.withResolvers<ModelReport>()
      core.subscribe((name, payload) => {
        if (name !== 'modelCheck.changed') return
        // The payload of this event has this type.
        const { running, problem, reports } = payload as ModelChecksState
        if (running === null && reports[0]) ended.resolve(reports[0])
        else if (running === null) ended.reject(new Error(problem ?? 'no report'))
      })
      await core.handlers['modelCheck.start']({ endpointId, model: model.id }, never)
      const report = await ended.promise
      const { verdict, findings, steps } = report
      const found = { verdict, findings: findings.map(({ code }) => code) }
      expect(found, JSON.stringify(steps, null, 1)).toEqual(expected[model.id])
    } finally {
      await core.dispose()
      await endpoint.close()
      await rm(userData, { recursive: true, force: true })
    }
  },
)
