import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Reads a secret file, writes to a protected one, and searches for the content of the secret file. */
export const guardedPlaces: Scenario = {
  name: 'guarded-places',
  turns: [
    {
      prompt: /look at the places/i,
      steps: [
        step('read', call('read_file', { path: '.env' })),
        step('write', call('write_file', { path: '.github/workflows/ci.yml', content: 'on: push\n' })),
        step('search', call('grep_search', { pattern: 'needle' })),
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('read_file', /TOKEN=needle/, 'the file that the user allowed')
            seen.expect('write_file', /^Error \(refused\)/, 'the refusal of the user')
            seen.expect('grep_search', /^(?!.*prod\.env)/s, 'matches without secret files')
            return answer(say('I read one file and wrote none.'))
          },
        },
      ],
    },
  ],
}
