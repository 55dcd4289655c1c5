import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** A command that prints the numbers from 1 to 2000, each on a line with a word. */
export const longOutput: Scenario = {
  name: 'long-output',
  turns: [
    {
      prompt: /./,
      steps: [
        step('print', call('run_command', { command: 'for n in $(seq 1 2000); do echo "line $n"; done', cwd: '.' })),
        {
          title: 'tell',
          play: (seen) => {
            const last = seen.expect('run_command', /line 1\b[^]*line (2000)\b/, 'the first and the last line')
            return answer(say(`The last number was ${last[1]}.`))
          },
        },
      ],
    },
  ],
}
