import { expect, it } from 'vitest'
import type { ModelReport } from '../../shared/models/modelCheck.ts'
import { exportName, reportJson, reportMarkdown } from './exportReport.ts'

const report: ModelReport = {
  id: 'r1',
  at: Date.UTC(2026, 4, 3),
  ms: 65_000,
  endpointId: 'lab-of-ana',
  model: '/home/ana/models/Qwen3|4B.gguf',
  api: 'openai',
  server: 'llama.cpp',
  version: '0.1.0',
  ended: 'server_failed',
  problem: 'Lab of Ana (http://10.0.0.7:8080) is not reachable.',
  steps: [{ step: 'read', state: 'failed', ms: 10, note: 'A request failed.', detail: 'http://10.0.0.7:8080 said no' }],
  facts: { window: { assumed: 8192, complete: 3000, beyond: 'cut', limit: 4096 } },
  findings: [{ code: 'window_cut_silently', count: 1 }],
  verdict: 'unfinished',
  recommendation: {
    profile: { value: 'auto', reason: 'Fits.' },
    contextWindow: { value: 4096, reason: 'It cuts.' },
    temperature: { value: 0.2, reason: 'Nothing.' },
    toolset: { value: 'blade', reason: 'Nothing.' },
  },
}

it('an export has no path, address, id or error message', () => {
  for (const text of [reportMarkdown(report), reportJson(report), exportName(report, 'json')])
    for (const own of ['/home', 'ana', '10.0.0.7', 'reachable', 'r1"', 'said no']) expect(text).not.toContain(own)
})

it('the tables of the Markdown stay tables with any name', () => {
  const text = reportMarkdown(report)
  expect(text).toMatch(/^# Qwen3\\\|4B\.gguf: no verdict\n/)
  expect(text).toContain('| Read a file and answer | Failed | 10 ms | A request failed. |')
  expect(text).toContain('Longer prompts are truncated silently (limit: 4,096). Stated size: 8,192.')
  expect(text).toContain('on 2026-05-03 in 1 min 05 s (llama.cpp, OpenAI-compatible API).')
})

it.each([
  ['qwen3:4b', 'tizona-check-qwen3-4b.md'],
  ['openai/gpt-oss-20b', 'tizona-check-openai-gpt-oss-20b.md'],
  [String.raw`C:\models\a b.gguf`, 'tizona-check-a-b.gguf.md'],
  ['/data/models/org/m.gguf', 'tizona-check-m.gguf.md'],
])('the file of %s is named %s', (model, name) => {
  expect(exportName({ ...report, model }, 'markdown')).toBe(name)
})
