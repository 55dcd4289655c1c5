import { answer, call, say, type Scenario, type StepInput } from '../../src/main/model/scripted/scenario.ts'

/** `change OLD to NEW in PATH` (words without spaces) reads the file and patches it, for clean and dirty tabs. */
export const editOpenFile: Scenario = {
  name: 'edit-open-file',
  turns: [
    {
      prompt: /^change \S+ to \S+ in \S+$/,
      steps: [
        { title: 'read', play: (seen) => answer(call('read_file', { path: wanted(seen).path })) },
        {
          title: 'patch',
          play: (seen) => {
            const { from, to, path } = wanted(seen)
            const escaped = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
            const [line] = seen.expect('read_file', new RegExp(`^.*${escaped}.*$`, 'm'), `a line with ${from}`)
            return answer(call('apply_patch', { path, old_text: line, new_text: line.replace(from, () => to) }))
          },
        },
        { title: 'tell', play: (seen) => answer(say(`The model read: ${seen.result('apply_patch').text}`)) },
      ],
    },
  ],
}

function wanted({ prompt }: StepInput): { from: string; to: string; path: string } {
  const [, from = '', , to = '', , path = ''] = prompt.split(' ')
  return { from, to, path }
}
