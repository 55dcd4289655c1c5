import { answer, waitForGate, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/**
 * `conversation WORD` starts an answer with the word and waits for `release(WORD)`, so that two can run interleaved.
 */
export const twoConversations: Scenario = {
  name: 'two-conversations',
  turns: [
    {
      prompt: /^conversation \w+$/,
      steps: [
        {
          title: 'answer',
          play: ({ prompt }) => {
            const word = prompt.split(' ')[1] ?? ''
            return answer(say(`Begin ${word}. `), waitForGate(word), say(`End ${word}.`))
          },
        },
      ],
    },
  ],
}
