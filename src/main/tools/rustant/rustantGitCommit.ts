import { z } from 'zod'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { repositoryPath, skippedFiltersNote } from './gitParameters.ts'

const maxFiles = 200

export const gitCommit = defineTool({
  name: 'git_commit',
  title: 'Git commit',
  description:
    'Commits only what is staged in a git repository of the workspace; stage files first with "git add". Repository hooks do not run and the commit is not signed; ' +
    'for either, the user commits in a terminal.',
  risk: 'write',
  schema: () =>
    z.object({
      message: z.string().describe('Commit message: a short first line; optionally a blank line and details.'),
      path: repositoryPath,
    }),
  examples: [{ message: 'Fix the login form' }],
  async preview({ message, path }, context) {
    await context.git.checkCommit(path, message, context.signal)
    const { files, filters, truncated } = await context.git.diff(path, { staged: true }, context.signal)
    const notes = [
      ...(truncated ? ['The diff is truncated.'] : []),
      ...skippedFiltersNote(filters),
      'Hooks do not run; the commit is not signed.',
    ]
    return { view: { kind: 'diff', files, note: `${visibleText(message.trim())}\n\n${notes.join(' ')}` } }
  },
  async run({ message, path }, context) {
    const { hash, branch, files } = await context.git.commit(path, message, context.signal)
    const total = (side: 'added' | 'removed') => files.reduce((sum, file) => sum + (file[side] ?? 0), 0)
    const lines = files
      .slice(0, maxFiles)
      .map((file) => `  ${file.path} (${file.added === null ? 'binary' : `+${file.added} -${file.removed ?? 0}`})`)
    const rest = files.length - lines.length
    return {
      text: [
        `Committed ${hash} ${branch === undefined ? 'with a detached HEAD: no branch contains it' : `on ${branch}`}: ${plural(files.length, 'file')}, +${total('added')} -${total('removed')}.`,
        ...lines,
        ...(rest > 0 ? [`  … and ${rest} more`] : []),
      ].join('\n'),
    }
  },
})
