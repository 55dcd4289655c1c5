import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Tries to read and to write outside the workspace. */
export const pathEscape: Scenario = {
  name: 'path-escape',
  turns: [
    {
      prompt: /escape/i,
      steps: [
        step(
          'try',
          call('read_file', { path: '../secret.txt' }),
          call('write_file', { path: '../planted.txt', content: 'planted\n' }),
        ),
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('read_file', /^Error \(outside_workspace\)/, 'a refusal')
            seen.expect('write_file', /^Error \((outside_workspace|refused)\)/, 'a refusal')
            return answer(say('Both were refused.'))
          },
        },
      ],
    },
  ],
}
