import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

const patch = `*** Begin Patch
*** Update File: src/lib.rs
@@ pub fn name
-    "harbor"
+    "harbour"
*** Update File: src/old.rs
*** Move to: src/berth.rs
@@
-pub fn old() {}
+pub fn berth() {}
*** Add File: notes.md
+# Notes
*** Delete File: gone.txt
*** End Patch`

/** Calls tools by Rusty's names: reads, patches several files at once, and makes one more edit. */
export const rustyTools: Scenario = {
  name: 'rusty-tools',
  turns: [
    {
      prompt: /^rename the harbour/,
      steps: [
        step('read', call('file_read', { path: 'src/lib.rs' })),
        {
          title: 'patch',
          play: (seen) => {
            seen.expect('file_read', /"harbor"/, 'the old name')
            return answer(call('apply_patch', { patch }))
          },
        },
        {
          title: 'edit',
          play: (seen) => {
            seen.expect('apply_patch', /src\/berth\.rs/, 'the moved file')
            return answer(
              call('file_edit', { path: 'src/lib.rs', old_string: 'pub fn name()', new_string: 'pub fn title()' }),
            )
          },
        },
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('file_edit', /src\/lib\.rs/, 'the edited file')
            return answer(say('Four files changed, and the function is called title now.'))
          },
        },
      ],
    },
  ],
}
