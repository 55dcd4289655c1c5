import { answer, call, say, ScenarioMismatch, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Checks that the prompt contains a text below the user's message. */
function expectText(prompt: string, wanted: RegExp): void {
  if (!wanted.test(prompt))
    throw new ScenarioMismatch(`expected the message to carry ${wanted}, but it reads: ${prompt.slice(0, 2000)}`)
}

/** Checks that the model receives attachments: files, symbols, pictures, and instructions of their folders. */
export const carried: Scenario = {
  name: 'carried',
  turns: [
    {
      prompt: /^Compare/,
      steps: [
        {
          title: 'the mentioned file and symbol came with the message',
          play(seen) {
            expectText(seen.prompt, /<attached kind="file" path="docs\/my notes\.md">\nRemember the tide\.\n/)
            expectText(seen.prompt, /<attached kind="symbol" path="src\/tide\.ts" lines="3-5">\nexport function tide/)
            return answer(say('The notes ask for the tide, and `tide` gives it.'))
          },
        },
      ],
    },
    { prompt: /^What is on/, steps: [{ title: 'see', play: () => answer(say('A red square.')) }] },
    {
      prompt: /^Explain src/,
      steps: [{ title: 'the prompt of the command', play: () => answer(say('It adds two numbers.')) }],
    },
    {
      prompt: /^Read both/,
      steps: [
        { title: 'read', play: () => answer(call('read_file', { path: 'src/tide.ts' })) },
        {
          title: 'read another',
          play(seen) {
            seen.expect('read_file', /Only pure functions/, 'the instructions of its folder')
            return answer(call('read_file', { path: 'src/moon.ts' }))
          },
        },
        {
          title: 'instructions came once',
          play(seen) {
            if (/Only pure functions/.test(seen.result('read_file').text))
              throw new ScenarioMismatch('the instructions came twice')
            return answer(say('Both are pure.'))
          },
        },
      ],
    },
  ],
}
