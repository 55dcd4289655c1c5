import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Calls tools by Rustant's names: reads a report, computes, patches, and commits staged changes. */
export const rustantTools: Scenario = {
  name: 'rustant-tools',
  turns: [
    {
      prompt: /^put the length into the list/,
      steps: [
        step(
          'look',
          call('file_search', { pattern: '*.pdf' }),
          call('document_read', { path: 'report.pdf' }),
          call('git_status', {}),
        ),
        {
          title: 'compute',
          play: (seen) => {
            seen.expect('file_search', /report\.pdf/, 'the report')
            seen.expect('git_status', /On branch main/, 'the branch')
            const [, anna] = seen.expect('document_read', /Anna \| (\d+)/, 'the length of Anna')
            const [, bertha] = seen.expect('document_read', /Bertha \| (\d+)/, 'the length of Bertha')
            return answer(call('calculator', { expression: `${anna} + ${bertha}` }))
          },
        },
        {
          title: 'patch',
          play: (seen) => {
            const [sum] = seen.expect('calculator', /^\d+$/, 'the sum')
            return answer(
              call('file_patch', {
                path: 'ships.txt',
                patch: `@@ -1,2 +1,2 @@\n ships 2\n-length ?\n+length ${sum}\n`,
              }),
            )
          },
        },
        {
          title: 'see the change',
          play: (seen) => {
            seen.expect('file_patch', /ships\.txt/, 'the patched file')
            return answer(call('git_diff', {}))
          },
        },
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('git_diff', /\+length 199/, 'the change')
            return answer(say('Stage it, and I commit it.'))
          },
        },
      ],
    },
    {
      prompt: /^commit it/,
      steps: [
        step('commit', call('git_commit', { message: 'Add the length of all ships' })),
        {
          title: 'tell',
          play: (seen) =>
            answer(say(`Done: ${seen.expect('git_commit', /Committed [0-9a-f]{40} on main/, 'the commit')[0]}`)),
        },
      ],
    },
  ],
}
