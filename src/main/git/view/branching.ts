import { ToolError } from '../../../shared/errors.ts'
import type { GitReferences, GitStatusSummary, GitSwitchResult } from '../../../shared/git/git.ts'
import type { Actions } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { commitArgument, withoutHooks } from './names.ts'
import { refuseOverwriting } from './overwrittenFiles.ts'
import { readReferences } from './readReferences.ts'

interface DeletedReference {
  /** Object of the deleted branch or tag, from which it can be recreated. */
  commit: string
  status: GitStatusSummary
}

export interface Branching {
  references(id: string): Promise<GitReferences>
  createBranch(
    id: string,
    options: { name: string; from?: string | undefined; switch: boolean },
    operation?: string,
  ): Promise<GitStatusSummary>
  /** @param options.track creates a local branch for this remote branch; `detach`: checks out the commit itself */
  switchTo(
    id: string,
    operation: string,
    options: { target: string; track: boolean; detach: boolean },
  ): Promise<GitSwitchResult>
  deleteBranch(id: string, name: string, force: boolean, operation?: string): Promise<DeletedReference>
  renameBranch(id: string, options: { name: string; to: string }, operation?: string): Promise<GitStatusSummary>
  /**
   * @param options.hooks whether hooks run. Default: true.
   * @param options.checked the branch's last commit when its files were checked
   * @throws ToolError `conflict` also if the merge would overwrite an ignored file, or the branch has moved since the check
   */
  merge(
    id: string,
    operation: string,
    branch: string,
    options?: { hooks?: boolean; checked?: string },
  ): Promise<GitStatusSummary>
  /** Cherry-picks or reverts a commit. For a merge, uses the changes relative to its first parent. */
  applyCommit(
    id: string,
    operation: string,
    options: { commit: string; how: 'cherry_pick' | 'revert' },
  ): Promise<GitStatusSummary>
  createTag(
    id: string,
    options: { name: string; commit?: string | undefined; message?: string | undefined },
    operation?: string,
  ): Promise<GitStatusSummary>
  deleteTag(id: string, name: string, operation?: string): Promise<DeletedReference>
}

function movedBranch(branch: string): ToolError {
  return new ToolError(
    'conflict',
    `"${branch}" has other commits than those that were checked, so nothing was merged.`,
    'Check its changes again, then merge.',
  )
}

const applyTexts = {
  cherry_pick: {
    failed: 'The commit could not be cherry-picked.',
    restricted: 'Cherry-picking is disabled in a restricted folder.',
  },
  revert: {
    failed: 'The commit could not be reverted.',
    restricted: 'Reverting a commit is disabled in a restricted folder.',
  },
}

/** Branches, merges and tags. */
export function createBranching(actions: Actions): Branching {
  const { access, repositories, signal, run, change, requireTrust } = actions
  /** Returns the object id of a reference. An annotated tag is an object with a message and a signature. */
  async function objectOf(found: FoundRepository, reference: string, signal: AbortSignal): Promise<string> {
    const args = ['rev-parse', '--verify', '--quiet', reference]
    const { code, output } = await access.read(found, args, signal)
    if (code !== 0)
      throw new ToolError('not_found', `The branch, tag or commit "${reference}" does not exist.`, 'Refresh the list.')
    return output.toString('utf8').trim()
  }

  async function deleteReference(
    id: string,
    operation: string | undefined,
    reference: string,
    failed: string,
    args: readonly string[],
  ) {
    const { result, status } = await change(id, operation, async ({ found }, git, running) => {
      const commit = await objectOf(found, reference, running.signal)
      await git(failed, args)
      return commit
    })
    return { commit: result, status }
  }

  return {
    references: async (id) => readReferences(access, (await repositories.get(id)).found, signal),
    createBranch(id, { name, from, switch: checkOut }, operation) {
      const rest = [commitArgument(name), ...(from === undefined ? [] : [commitArgument(from)])]
      const args = checkOut ? [...switching, '--create', ...rest] : ['branch', ...rest]
      return run(id, operation, 'The branch could not be created.', args)
    },
    async switchTo(id, operation, { target, track, detach }) {
      const flags = [...(track ? ['--track'] : []), ...(detach ? ['--detach'] : [])]
      const args = [...switching, ...flags, commitArgument(target)]
      const { result: leftBehind, status } = await change(id, operation, async ({ found }, git, running) => {
        const head = await access.read(found, ['rev-parse', '--verify', '--quiet', 'HEAD'], running.signal)
        const { stderr } = await git('The switch failed.', args).catch(async (error: unknown) => {
          // Names the files. A stash would not move ignored ones away.
          if (error instanceof ToolError && error.reason === 'untracked_files')
            await refuseOverwriting(
              found.workTree,
              running.act,
              await objectOf(found, target, running.signal),
              'checkout',
            )
          throw error
        })
        const count = Number(/you are leaving (\d+) commits? behind/.exec(stderr)?.[1] ?? 0)
        return count === 0 ? undefined : { commit: head.output.toString('utf8').trim(), count }
      })
      return { status, ...(leftBehind && { leftBehind }) }
    },
    deleteBranch: (id, name, force, operation) =>
      deleteReference(id, operation, `refs/heads/${commitArgument(name)}`, 'The branch could not be deleted.', [
        'branch',
        force ? '-D' : '-d',
        name,
      ]),
    renameBranch: async (id, { name, to }, operation) =>
      run(id, operation, 'The branch could not be renamed.', [
        'branch',
        '--move',
        commitArgument(name),
        commitArgument(to),
      ]),
    async merge(id, operation, branch, { hooks = true, checked } = {}) {
      const { status } = await change(id, operation, async (repository, git, running) => {
        // A merge can start drivers configured by the repository.
        requireTrust(repository, 'Merging is disabled in a restricted folder.')
        const { found } = repository
        const tip = () => objectOf(found, `${commitArgument(branch)}^{commit}`, running.signal)
        const commit = checked ?? (await tip())
        await refuseOverwriting(found.workTree, running.act, commit, 'merge')
        // Another process may commit to it at any time.
        if ((await tip()) !== commit) throw movedBranch(branch)
        const options = hooks ? [] : withoutHooks
        // A checked commit is merged by its id, because the branch can still move.
        const what = checked === undefined ? [branch] : ['-m', `Merge branch '${branch}'`, commit]
        return git('The merge failed.', [...options, 'merge', '--no-edit', '--progress', ...what])
      })
      return status
    },
    applyCommit: createCommitApplier(actions),
    createTag: (id, { name, commit = 'HEAD', message = '' }, operation) =>
      run(id, operation, 'The tag could not be created.', [
        'tag',
        ...(message.trim() === '' ? [] : ['--annotate', `--message=${message}`]),
        commitArgument(name),
        commitArgument(commit),
      ]),
    deleteTag: (id, name, operation) =>
      deleteReference(id, operation, `refs/tags/${commitArgument(name)}`, 'The tag could not be deleted.', [
        'tag',
        '-d',
        name,
      ]),
  }
}

/** Options of every switch: git would overwrite files that it ignores. */
const switching = ['switch', '--progress', '--no-overwrite-ignore']

/** Returns the id of the tree without files, which depends on the format of the repository. */
async function emptyTree({ read }: GitAccess, found: FoundRepository, signal: AbortSignal): Promise<string> {
  const { output } = await read(found, ['hash-object', '-t', 'tree', '--stdin'], signal, { input: '' })
  return output.toString('utf8').trim()
}

function createCommitApplier({ access, change, requireTrust }: Actions): Branching['applyCommit'] {
  return async (id, operation, { commit, how }) => {
    const { failed, restricted } = applyTexts[how]
    const command = how === 'revert' ? ['revert', '--no-edit'] : ['cherry-pick']
    const { status } = await change(id, operation, async (repository, git, running) => {
      // Commits are merged, which can start drivers configured by the repository.
      requireTrust(repository, restricted)
      const { found } = repository
      const parents = await access.read(
        found,
        ['rev-list', '--parents', '--max-count=1', commitArgument(commit), '--'],
        running.signal,
      )
      const [own = '', parent, ...others] = parents.output.toString('utf8').trim().split(' ')
      const isMerge = others.length > 0
      const before = parent ?? (await emptyTree(access, found, running.signal))
      const [to, from] = how === 'revert' ? [before, own] : [own, before]
      await refuseOverwriting(found.workTree, running.act, to, { from })
      const args = [...command, ...(isMerge ? ['--mainline', '1'] : []), commitArgument(commit)]
      await git(failed, args).catch(async (error: unknown) => {
        if (!(error instanceof ToolError && /is now empty|nothing to commit/.test(error.detail ?? ''))) throw error
        await git(failed, [command[0] ?? '', '--skip'])
        throw new ToolError(
          'no_change',
          how === 'revert'
            ? 'The changes in this commit have already been undone.'
            : 'The branch already has these changes.',
        )
      })
    })
    return status
  }
}
