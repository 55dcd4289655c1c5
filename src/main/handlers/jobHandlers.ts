import type { Jobs } from '../command/jobTypes.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Handlers } from '../core/coreContract.ts'

/**
 * Handles requests about jobs and terminals.
 * @param jobs returns those of the open folder; throws ToolError no_workspace
 * @param workspace returns the open folder; throws ToolError no_workspace
 */
export function createJobHandlers(
  jobs: () => Jobs,
  workspace: () => Pick<Workspace, 'resolve'>,
): Pick<
  Handlers,
  | 'jobs.list'
  | 'jobs.output'
  | 'jobs.input'
  | 'jobs.resize'
  | 'jobs.stop'
  | 'jobs.forget'
  | 'jobs.rename'
  | 'terminal.open'
> {
  return {
    'jobs.list': () => jobs().list(),
    'jobs.output': ({ id }) => jobs().backlog(id),
    'jobs.input': ({ id, data }) => jobs().input(id, data),
    'jobs.resize': ({ id, columns, rows }) => jobs().resize(id, columns, rows),
    'jobs.stop': async ({ id }) => {
      await jobs().stop(id)
    },
    'jobs.forget': ({ id }) => jobs().forget(id),
    'jobs.rename': ({ id, name }) => jobs().rename(id, name),
    async 'terminal.open'({ folder, ...size }) {
      if (folder === undefined) return jobs().openTerminal(size)
      return jobs().openTerminal({ ...size, cwd: (await workspace().resolve(folder)).absolute })
    },
  }
}
