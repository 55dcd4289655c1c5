import type { Jobs } from '../command/jobTypes.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Handlers } from '../core/coreContract.ts'

/**
 * Handles requests about jobs and terminals.
 * @param current returns the open folder and its jobs; throws ToolError no_workspace
 */
export function createJobHandlers(
  current: () => { jobs: Jobs; workspace: Pick<Workspace, 'resolve'> },
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
  const jobs = () => current().jobs
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
      return jobs().openTerminal({ ...size, cwd: (await current().workspace.resolve(folder)).absolute })
    },
  }
}
