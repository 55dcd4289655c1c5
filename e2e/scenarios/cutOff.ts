import { answer, disconnect, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Drops the connection in the first answer. The second attempt is complete. */
export const cutOff: Scenario = {
  name: 'cut-off',
  turns: [
    {
      prompt: /./,
      steps: [
        {
          title: 'answer',
          play: ({ attempt }) =>
            attempt === 0 ? answer(say('This answer will not'), disconnect) : answer(say('This answer is whole.')),
        },
      ],
    },
  ],
}
