import { answer, call, say, step, waitForGate, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** The model delegates a task. The sub-agent reads a file and then waits, so that it can be stopped. */
export const delegatedTask: Scenario = {
  name: 'delegatedTask',
  turns: [
    {
      prompt: /^Find out where the limit/,
      steps: [
        step('read', call('read_file', { path: 'limits.ts' })),
        step('wait', waitForGate('report'), say('The limit is in limits.ts:1.')),
      ],
    },
    {
      prompt: /./,
      steps: [
        step('delegate', call('task', { prompt: 'Find out where the limit is set and what reads it.' })),
        {
          title: 'go on',
          play: (seen) => {
            const stopped = seen.result('task').failed === 'cancelled'
            return answer(say(stopped ? 'You stopped the task, so I go on without it.' : 'The task is done.'))
          },
        },
      ],
    },
  ],
}
