import { answer, call, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** `run: COMMAND` runs a command and repeats the result. The test approves, refuses, edits or cancels it. */
export const runCommand: Scenario = {
  name: 'run-command',
  turns: [
    {
      prompt: /^run: /,
      steps: [
        {
          title: 'run',
          play: ({ prompt }) =>
            answer(say('I run it.'), call('run_command', { command: prompt.slice('run: '.length), cwd: '.' })),
        },
        { title: 'tell', play: (seen) => answer(say(`The model read: ${seen.result('run_command').text}`)) },
      ],
    },
    // A hook of the folder continues the turn.
    { prompt: /^The hook /, steps: [{ title: 'continue', play: () => answer(say('I went on.')) }] },
  ],
}
