import { answer, call, say, think, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Reasoning, three calls in one answer split at every byte, and a final answer that repeats their results. */
export const parallelCalls: Scenario = {
  name: 'parallel-calls',
  turns: [
    {
      prompt: /./,
      steps: [
        {
          title: 'call three',
          play: () => ({
            ...answer(
              think('Three looks at once: más rápido → better.'),
              say('I look at three things at once.'),
              call('list_dir', { path: '.' }),
              call('read_file', { path: 'notes.txt' }),
              call('get_file_info', { path: 'notes.txt' }),
            ),
            bytesPerWrite: 1,
          }),
        },
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('list_dir', /notes\.txt/, 'notes.txt in the list')
            seen.expect('read_file', /alpha/, 'the text of notes.txt')
            seen.expect('get_file_info', /"is_file":\s*true/, 'that it is a file')
            return answer(say('All three answered.'))
          },
        },
      ],
    },
  ],
}
