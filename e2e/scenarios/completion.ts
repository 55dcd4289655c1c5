import type { Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Completes code by the end of the text before the cursor. The lines are those of e2e/completion.spec.ts. */
export const completion: Scenario = {
  name: 'completion',
  turns: [],
  completion: {
    server: 'llamacpp',
    respond({ path, before }) {
      if (path === '/v1/completions') return nextEdit(before)
      const line = before.slice(before.lastIndexOf('\n') + 1)
      if (line.endsWith('function add(')) return 'a: number, b: number): number {\n  return a + b\n}'
      if (line.endsWith('wait(')) return [{ kind: 'hold', gate: 'never' }]
      if (/^    $/.test(line)) return 'return sum(number ** 2 for number in numbers)'
      return ''
    },
  },
}

/** Answers as Zeta 2.1: renames the use of a parameter that the user renamed. */
function nextEdit(prompt: string): string {
  const excerpt = /<\|marker_1\|>\n([^]*)<\|marker_2\|>/.exec(prompt)?.[1] ?? ''
  const renamed = excerpt.replace('<|user_cursor|>', '')
  return `<|marker_1|>\n${renamed.includes('(width,') ? renamed.replace('w * height', 'width * height') : renamed}<|marker_2|>`
}
