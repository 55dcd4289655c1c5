import { call, waitForGate, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

const todo = (...statuses: ('pending' | 'in_progress' | 'completed')[]) =>
  call('todo_write', {
    todos: ['Read the list of ships', 'Add the ferry', 'Check that the list still parses'].map((content, index) => ({
      content,
      status: statuses[index] ?? 'pending',
    })),
  })

/**
 * Guidance during a turn: `look around` is steered, `plan it` ends with a plan, `long task` keeps a list, `go in
 * circles` repeats calls.
 */
export const guided: Scenario = {
  name: 'guided',
  turns: [
    {
      prompt: /look around/,
      steps: [
        step(
          'look until told',
          say('I look at the list first.'),
          waitForGate('looking'),
          call('read_file', { path: 'ships.json' }),
        ),
        step('never reached', say('I was not steered.')),
      ],
    },
    { prompt: /only the ferries/, steps: [step('after the steer', say('Only the ferries, then: there are none.'))] },
    {
      prompt: /plan it/,
      steps: [
        step('look', call('read_file', { path: 'ships.json' })),
        step(
          'plan',
          say('I would do this:\n\n1. Add a ferry to `ships.json`.\n2. Check that it parses.\n\nShall I go on?'),
        ),
      ],
    },
    {
      prompt: /Carry out this plan.*only the ferry/s,
      steps: [
        step('write', call('write_file', { path: 'ships.json', content: '["Anna", "Ferry"]\n' })),
        step('done', say('The ferry is in the list.')),
      ],
    },
    {
      prompt: /long task/,
      steps: [
        step('list', todo('in_progress'), call('read_file', { path: 'ships.json' })),
        step(
          'break it',
          todo('completed', 'in_progress'),
          call('write_file', { path: 'ships.json', content: '["Anna", "Ferry"\n' }),
        ),
        step(
          'mend it',
          say('The list lacks its end; I mend it.'),
          waitForGate('mending'),
          call('write_file', { path: 'ships.json', content: '["Anna", "Ferry"]\n' }),
        ),
        step('all done', todo('completed', 'completed', 'completed')),
        step('done', say('All three steps are done.')),
      ],
    },
    { prompt: /thank you/, steps: [step('thanks', say('You are welcome.'))] },
    {
      prompt: /go in circles/,
      steps: [
        ...Array.from({ length: 5 }, () => step('again', call('read_file', { path: 'ships.json' }))),
        step('out of it', say('I have the list now.')),
      ],
    },
  ],
}
