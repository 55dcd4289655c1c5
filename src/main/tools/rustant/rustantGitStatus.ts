import { plural } from '../../../shared/text/plural.ts'
import { z } from 'zod'
import type { GitStatus } from '../../git/git.ts'
import type { StatusEntry } from '../../git/parseStatus.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { repositoryPath, skippedFiltersNote } from './gitParameters.ts'

const maxEntries = 300

export const gitStatus = defineTool({
  name: 'git_status',
  title: 'Git status',
  description: `Shows the branch and the staged, unstaged, conflicting and untracked files of a git repository in the workspace, at most ${maxEntries} of each. Submodules are compared only by commit.`,
  risk: 'read',
  schema: z.object({ path: repositoryPath }),
  examples: [{}],
  async run({ path }, context) {
    const status = await context.git.status(path, context.signal)
    const of = (letter: number) =>
      status.tracked
        .filter((entry) => entry.state[letter] !== '.')
        .map((entry) => `${words(entry.state[letter])}: ${name(entry, letter)}`)
    const groups = [
      section('Staged', of(0)),
      section('Not staged', of(1)),
      section(
        'Conflicts',
        status.conflicts.map((entry) => entry.path),
      ),
      section('Untracked', status.untracked),
    ].filter((text) => text !== '')
    const changes = groups.length > 0 ? groups : ['Nothing to commit, the working tree is clean.']
    const truncated = status.truncated
      ? ['[Too many changes to list completely; pass the folder of a smaller repository.]']
      : []
    return { text: [head(status), ...changes, ...truncated, ...skippedFiltersNote(status.filters)].join('\n\n') }
  },
})

function head({ repository, branch, head: commit, upstream, ahead, behind }: GitStatus): string {
  const where = branch === undefined ? `Detached HEAD at ${commit?.slice(0, 12) ?? 'no commit'}` : `On branch ${branch}`
  const begun = commit === undefined ? ', no commits yet' : ''
  const distance = upstream === undefined ? '' : `, ${ahead} ahead of and ${behind} behind ${upstream}`
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

const meanings: Readonly<Record<string, string>> = {
  M: 'modified',
  T: 'type changed',
  A: 'new',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
}

function words(letter = ''): string {
  return meanings[letter] ?? letter
}

function name({ path, from, state }: StatusEntry, letter: number): string {
  return from !== undefined && /[RC]/.test(state[letter] ?? '') ? `${from} -> ${path}` : path
}
