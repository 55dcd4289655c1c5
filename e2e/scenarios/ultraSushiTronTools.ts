import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/**
 * Calls tools by UltraSushiTron's names: finds and corrects a price, adds a line by patch, compares, and runs a
 * command.
 */
export const ultraSushiTronTools: Scenario = {
  name: 'ultrasushitron-tools',
  turns: [
    {
      prompt: /^correct the price/,
      steps: [
        step('look', call('Grep', { pattern: 'salmon' }), call('Read', { file_path: 'menu.txt' })),
        {
          title: 'edit',
          play: (seen) => {
            seen.expect('Grep', /menu\.txt:2:salmon/, 'the line')
            seen.expect('Read', /^\s*2\tsalmon 9$/m, 'the numbered line')
            return answer(call('Edit', { file_path: 'menu.txt', old_string: 'salmon 9', new_string: 'salmon 11' }))
          },
        },
        {
          title: 'patch',
          play: (seen) => {
            seen.expect('Edit', /menu\.txt/, 'the edited file')
            const patch = '@@ -1,3 +1,4 @@\n tuna 12\n salmon 11\n+eel 14\n rice 3\n'
            return answer(call('Patch', { file_path: 'menu.txt', patch }))
          },
        },
        step('compare', call('Diff', { file_a: 'old.txt', file_b: 'menu.txt' })),
        {
          title: 'count',
          play: (seen) => {
            seen.expect('Diff', /\+eel 14/, 'the added line')
            return answer(call('Bash', { command: 'wc -l < menu.txt > count.txt && cat count.txt' }))
          },
        },
        {
          title: 'tell',
          play: (seen) => answer(say(`The menu has ${seen.expect('Bash', /\d+/, 'a number')[0]} lines.`)),
        },
      ],
    },
  ],
}
