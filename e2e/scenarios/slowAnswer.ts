import { answer, waitForGate, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** `slow start` sends nothing and `slow middle` pauses within a sentence until `endpoint.release('go')`. */
export const slowAnswer: Scenario = {
  name: 'slow-answer',
  turns: [
    // First, because a message after a stop is sent together with the unanswered one.
    {
      prompt: /slow middle/i,
      steps: [
        { title: 'hold in the middle', play: () => answer(say('I begin '), waitForGate('go'), say('and I end.')) },
      ],
    },
    {
      prompt: /slow start/i,
      steps: [{ title: 'hold at once', play: () => answer(waitForGate('go'), say('Here I am at last.')) }],
    },
  ],
}
