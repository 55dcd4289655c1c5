import { answer, disconnect, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Number of requests until Tizona no longer repeats one whose connection was lost. */
const attempts = 4

/** Drops the connection in every answer to a message, until the user tries again. */
export const cutOff: Scenario = {
  name: 'cut-off',
  turns: [
    {
      prompt: /./,
      steps: [
        {
          title: 'answer',
          play: ({ attempt }) =>
            attempt < attempts ? answer(say('This answer will not'), disconnect) : answer(say('This answer is whole.')),
        },
      ],
    },
  ],
}
