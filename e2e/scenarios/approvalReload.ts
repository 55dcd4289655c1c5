import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Calls a command that creates proof.txt, so that a test detects whether it ran before the approval. */
export const approvalReload: Scenario = {
  name: 'approval-reload',
  turns: [
    {
      prompt: /./,
      steps: [
        step(
          'ask',
          say('I need to write the proof.'),
          call('run_command', { command: 'echo approved > proof.txt && cat proof.txt', cwd: '.' }),
        ),
        {
          title: 'tell',
          play: (seen) => {
            const [word] = seen.expect('run_command', /approved/, 'what the command printed')
            return answer(say(`The command was ${word}.`))
          },
        },
      ],
    },
  ],
}
