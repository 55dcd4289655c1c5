import { plural } from '../../../shared/text/plural.ts'
import { z } from 'zod'
import type { GitStatus } from '../../git/git.ts'
import type { GitChange, GitChangeKind } from '../../../shared/git/git.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { repositoryPath, skippedFiltersNote } from './gitParameters.ts'

const maxEntries = 300

export const gitStatus = defineTool({
  name: 'git_status',
  title: 'Git status',
  description: `Shows the branch and the staged, unstaged, conflicting and untracked files of a git repository in the workspace, at most ${maxEntries} of each. Submodules are compared only by commit.`,
  risk: 'read',
  schema: () => z.object({ path: repositoryPath }),
  examples: [{}],
  async run({ path }, context) {
    const status = await context.git.status(path, context.signal)
    const { merge, staged, changes: unstaged, untracked } = status.groups
    const groups = [
      section('Staged', staged.map(changeLine)),
      section('Not staged', unstaged.map(changeLine)),
      section('Conflicts', merge.map(pathOf)),
      section('Untracked', untracked.map(pathOf)),
    ].filter((text) => text !== '')
    const changes = groups.length > 0 ? groups : ['Nothing to commit, the working tree is clean.']
    const truncated = status.truncated
      ? ['[Too many changes to list completely; pass the folder of a smaller repository.]']
      : []
    return { text: [head(status), ...changes, ...truncated, ...skippedFiltersNote(status.filters)].join('\n\n') }
  },
})

function head({ repository, branch, head: commit, upstream }: GitStatus): string {
  const where = branch === null ? `Detached HEAD at ${commit?.slice(0, 12) ?? 'no commit'}` : `On branch ${branch}`
  const begun = commit === null ? ', no commits yet' : ''
  const distance =
    upstream === null ? '' : `, ${upstream.ahead} ahead of and ${upstream.behind} behind ${upstream.name}`
  return `${where}${begun}${distance}${repository === '.' ? '' : ` (repository ${repository}; paths are relative to it)`}`
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const rest = lines.length - maxEntries
  return [
    `${title} (${plural(lines.length, 'file')}):`,
    ...lines.slice(0, maxEntries).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ].join('\n')
}

const words: Partial<Record<GitChangeKind, string>> = { added: 'new', type_changed: 'type changed' }

function changeLine({ path, from, kind }: GitChange): string {
  return `${words[kind] ?? kind}: ${from === undefined ? '' : `${from} -> `}${path}`
}

const pathOf = ({ path }: GitChange): string => path
