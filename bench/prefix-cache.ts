import type { PromptProfile } from '../src/shared/agent/promptProfile.ts'
import { runSession, type SessionOptions } from './prefixCache/runSession.ts'
import type { Row } from './row.ts'

const windows = [4096, 8192, 16_384, 32_768] as const
const profiles: readonly { profile: PromptProfile; minWindow: number }[] = [
  { profile: 'minimal', minWindow: 4096 },
  { profile: 'compact', minWindow: 4096 },
  { profile: 'medium', minWindow: 8192 },
  { profile: 'full', minWindow: 16_384 },
]
/** Templates of thinking models. `qwen3` strips earlier thinking at each user message; `qwen3.6` preserves it. */
const thinking: readonly { what: string; options: Omit<SessionOptions, 'window' | 'profile'>; goal?: number }[] = [
  { what: 'the template strips earlier thinking', options: { template: 'stripsThinking', model: 'qwen3-8b' } },
  {
    what: 'hybrid model, the template preserves thinking',
    options: { template: 'keepsThinking', hybrid: true, model: 'qwen3.6-27b' },
    goal: 99,
  },
]

/**
 * Measures how many prompts of a long conversation start with the complete previous prompt, as rendered by a chat
 * template. Requests after a compaction are counted separately, because a compaction rewrites the prompt.
 */
export async function measure(): Promise<Row[]> {
  const rows: Row[] = []
  for (const { profile, minWindow } of profiles)
    for (const window of windows) if (window >= minWindow) rows.push(await row({ profile, window }, '', 99))
  for (const { what, options, goal } of thinking)
    rows.push(await row({ profile: 'full', window: 32_768, ...options }, `, ${what}`, goal))
  return rows
}

async function row(options: SessionOptions, what: string, goal?: number): Promise<Row> {
  const { requests, compactions, broken, cachedShare, runs, computedForCompactions } = await runSession(options)
  const followers = requests - 1 - compactions
  const mean = runs.reduce((sum, count) => sum + count, 0) / Math.max(1, runs.length)
  return {
    question: `prompts that extend the one before between compactions, ${options.profile} at ${options.window.toLocaleString('en-US')} tokens${what}`,
    value: (1 - broken.length / followers) * 100,
    unit: '%',
    ...(goal !== undefined && { goal }),
    how: `${requests} requests, ${compactions} compactions, ${mean.toFixed(0)} requests before each (at least ${Math.min(...runs, requests)}); ${(cachedShare * 100).toFixed(0)} % of all prompt text was in the server's cache${compactions === 0 ? '' : `; ${Math.round(computedForCompactions / compactions).toLocaleString('en-US')} characters read for each compaction`}`,
  }
}
