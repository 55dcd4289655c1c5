import { answer, waitForGate, say, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** `slow start` says nothing, `slow middle` stops in mid-sentence, both until `endpoint.release('go')`. */
export const slowAnswer: Scenario = {
  name: 'slow-answer',
  turns: [
    // First: a message sent after a stop reaches the server together with the one that got no answer.
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
