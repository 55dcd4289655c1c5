import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/**
 * Sends invalid JSON as arguments, then valid ones. The model must receive the error, and the history must stay valid.
 */
export const invalidArguments: Scenario = {
  name: 'invalid-arguments',
  turns: [
    {
      prompt: /./,
      steps: [
        step('broken call', say('I read it.'), call('read_file', '{"path": "notes.txt')),
        {
          title: 'good call',
          play: (seen) => {
            seen.expect('read_file', /^Error \(invalid_arguments\)/, 'that its arguments are no JSON')
            return answer(say('My arguments were broken. Again.'), call('read_file', { path: 'notes.txt' }))
          },
        },
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('read_file', /alpha/, 'the text of notes.txt')
            return answer(say('Now I have read it.'))
          },
        },
      ],
    },
  ],
}
