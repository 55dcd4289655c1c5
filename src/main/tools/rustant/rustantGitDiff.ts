import { z } from 'zod'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { repositoryPath, skippedFiltersNote } from './gitParameters.ts'

export const gitDiff = defineTool({
  name: 'git_diff',
  title: 'Git diff',
  description:
    'Shows a unified diff of a git repository in the workspace: files against the index; with "staged" the content of the next commit; with "commit" everything since that commit. ' +
    'Untracked files are not included (see git_status).',
  risk: 'read',
  schema: () =>
    z.object({
      path: repositoryPath,
      staged: z.boolean().optional().describe('Only staged changes.'),
      commit: z.string().optional().describe('Commit, branch or tag to compare with, such as HEAD~1.'),
    }),
  examples: [{}, { staged: true }],
  async run({ path, staged, commit }, context) {
    const { text, files, filters, secret, truncated } = await context.git.diff(path, { staged, commit }, context.signal)
    const omitted = `[${plural(secret.length, 'changed secret file is', 'changed secret files are')} not shown: ${secret.join(', ')}]`
    const notes = [
      ...(secret.length > 0 ? [omitted] : []),
      ...(truncated ? ['[The diff is truncated here. Read single files instead.]'] : []),
      ...skippedFiltersNote(filters),
    ]
    const base = commit ?? (staged ? 'HEAD' : 'the index')
    const none = staged ? `No staged file differs from ${base}.` : `No tracked file differs from ${base}.`
    return {
      text: [text === '' ? none : text, ...notes].join('\n'),
      readMoreHint: 'Read the files themselves with file_read',
      ...(text === '' ? {} : { view: { kind: 'diff', files, ...(notes.length > 0 ? { note: notes.join(' ') } : {}) } }),
    }
  },
})
