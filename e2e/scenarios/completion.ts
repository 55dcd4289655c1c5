import type { Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Completes code by the end of the text before the cursor. The lines are those of e2e/completion.spec.ts. */
export const completion: Scenario = {
  name: 'completion',
  turns: [],
  completion: {
    server: 'llamacpp',
    respond({ before }) {
      const line = before.slice(before.lastIndexOf('\n') + 1)
      if (line.endsWith('function add(')) return 'a: number, b: number): number {\n  return a + b\n}'
      if (line.endsWith('// wait')) return [{ kind: 'hold', gate: 'never' }]
      return ''
    },
  },
}
