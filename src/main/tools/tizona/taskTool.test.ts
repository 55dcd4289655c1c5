import { expect, it } from 'vitest'
import type { AgentKind, SubAgentResult, ToolContext } from '../common/toolDefinition.ts'
import { taskWith } from './taskTool.ts'

const quench: AgentKind = {
  name: 'forge:quench',
  description: 'Quenches.',
  model: 'tongs',
  instructions: async () => 'You quench.',
}

/** Returns the note on the card of a task. */
async function noteOf(end: Partial<SubAgentResult>, agent?: string): Promise<string | undefined> {
  const context = {
    signal: new AbortController().signal,
    progress: () => undefined,
    subAgent: async () => ({
      text: 'Done.',
      turns: 1,
      toolCalls: 0,
      tokens: 9,
      ended: 'answered',
      problem: '',
      ...end,
    }),
  } as unknown as ToolContext
  const args = { prompt: 'Quench.', allow_changes: false, max_tokens: 1000, ...(agent !== undefined && { agent }) }
  const { view } = await taskWith([quench]).run(args, context)
  return view?.kind === 'calls' ? view.note : undefined
}

it('states the model and the prompt that is read again', async () => {
  const lostTokens = 512
  expect(await noteOf({ lostTokens, isNamedMissing: true }, quench.name)).toMatch(/names the model tongs.*512 tokens/)
  const other = await noteOf({ lostTokens, otherModel: { model: 'anvil', server: 'E' } })
  expect(other).toMatch(/^It ran on anvil of E\. .*512 tokens/)
  expect(await noteOf({})).toBeUndefined()
})
