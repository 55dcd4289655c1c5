import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Reads the selection and replaces it with capitals. */
export const selectionReplace: Scenario = {
  name: 'selection-replace',
  turns: [
    {
      prompt: /selection/i,
      steps: [
        step('look', say('I look at the selection.'), call('get_selection', {})),
        {
          title: 'replace',
          play: (seen) => {
            const selection = seen.result('get_selection')
            seen.expect(selection, /^(?!Nothing is selected|Error \()[^]+$/, 'the selected text')
            return answer(call('replace_selection', { content: selection.text.toUpperCase() }))
          },
        },
        { title: 'tell', play: (seen) => answer(say(`The model read: ${seen.result('replace_selection').text}`)) },
      ],
    },
  ],
}
