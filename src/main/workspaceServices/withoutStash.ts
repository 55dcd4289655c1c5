import { ToolError } from '../../shared/errors.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { changesStash } from '../command/stashCommands.ts'

/** Returns jobs that refuse `git stash`: all worktrees of a repository share one stash. */
export function withoutStash(jobs: Jobs): Jobs {
  const refuse = async (line: string): Promise<void> => {
    if (!(await changesStash(line))) return
    throw new ToolError(
      'refused',
      'All worktrees of a repository share one stash, so a session in a worktree does not change it.',
      'Commit the changes on the branch of this session instead: git add -A && git commit -m "WIP".',
    )
  }
  return {
    ...jobs,
    async plan(command, access) {
      await refuse(command)
      return jobs.plan(command, access)
    },
    async run(request, signal) {
      if ('command' in request.run) await refuse(request.run.command)
      return jobs.run(request, signal)
    },
  }
}
