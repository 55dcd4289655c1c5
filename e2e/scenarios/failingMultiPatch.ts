import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Two patches to notes.txt. Only one matches, so neither may be applied. */
export const failingMultiPatch: Scenario = {
  name: 'failing-multi-patch',
  turns: [
    {
      prompt: /patch/i,
      steps: [
        step(
          'patch',
          call('apply_patch', {
            path: 'notes.txt',
            patches: [
              { old_text: 'alpha', new_text: 'ALPHA' },
              { old_text: 'a line that is nowhere in the file', new_text: 'never' },
            ],
          }),
        ),
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('apply_patch', /^Error \(no_match\)/, 'that the second patch matches nothing')
            return answer(say('The patch was refused as a whole.'))
          },
        },
      ],
    },
  ],
}
