import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { repositoryPath, unfiltered } from './gitParameters.ts'

export const gitDiff = defineTool({
  name: 'git_diff',
  title: 'Git diff',
  description:
    'Shows a unified diff of a git repository in the workspace: files against what is staged; with "staged" what the next commit would hold; with "commit" everything since that commit. ' +
    'Untracked files are not part of it (see git_status).',
  risk: 'read',
  schema: z.object({
    path: repositoryPath,
    staged: z.boolean().optional().describe('Only what is staged.'),
    commit: z.string().optional().describe('One commit, branch or tag to compare with, such as HEAD~1.'),
  }),
  examples: [{}, { staged: true }],
  async run({ path, staged, commit }, context) {
    const { text, files, filters, cut } = await context.git.diff(path, { staged, commit }, context.signal)
    const notes = [
      ...(cut ? ['[The diff is longer than this; the rest was not read. Read single files in its place.]'] : []),
      ...unfiltered(filters),
    ]
    const none = `${staged ? 'Nothing staged differs' : 'No tracked file differs'}${commit === undefined ? '' : ` from ${commit}`}.`
    return {
      text: [text === '' ? none : text, ...notes].join('\n'),
      more: 'Read the files themselves with file_read',
      ...(text === '' ? {} : { view: { kind: 'diff', files, ...(notes.length > 0 ? { note: notes.join(' ') } : {}) } }),
    }
  },
})
