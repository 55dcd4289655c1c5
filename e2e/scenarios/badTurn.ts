import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** A turn with harmful edits and a harmful command, to be restored, then a correct turn. */
export const badTurn: Scenario = {
  name: 'bad-turn',
  turns: [
    {
      prompt: /^Look at the price first/,
      steps: [
        step('reads', call('read_file', { path: 'src/price.ts' })),
        step('tells', say('The price is net times rate.')),
      ],
    },
    {
      prompt: /^Round the price/,
      steps: [
        step(
          'breaks',
          call('write_file', { path: 'src/price.ts', content: 'export const price = () => NaN\n' }),
          call('delete_file', { path: 'notes.md' }),
          call('run_command', { command: 'mkdir -p generated && printf junk > generated/junk.txt' }),
        ),
        step('boasts', say('I have rounded the price and tidied up.')),
      ],
    },
    {
      prompt: /^Only round/,
      steps: [
        step('reads', call('read_file', { path: 'src/price.ts' })),
        { title: 'tells', play: (seen) => answer(say(`It reads: ${seen.result('read_file').text}`)) },
      ],
    },
  ],
}
