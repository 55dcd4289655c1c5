import { call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** A batch in a mode in which reads require approval too, then a tool that the user has disabled. */
export const askedBatch: Scenario = {
  name: 'askedBatch',
  turns: [
    {
      prompt: /.*/s,
      steps: [
        step(
          'batch',
          call('batch', {
            calls: ['public.txt', 'private.txt'].map((path) => ({ tool: 'read_file', arguments: { path } })),
            max_parallel: 1,
          }),
        ),
        step('off', call('delete_file', { path: 'public.txt' })),
        {
          title: 'told',
          play: (seen) => {
            seen.expect('batch', /for everybody/, 'the file that was allowed')
            seen.expect('batch', /Keep out/, 'why the other was refused')
            seen.expect('delete_file', /switched_off/, 'that the tool is off')
            return { parts: [say('I read what I may.')] }
          },
        },
      ],
    },
  ],
}
