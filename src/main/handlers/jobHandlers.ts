import type { Jobs } from '../command/jobTypes.ts'
import type { Handlers } from './handlers.ts'

/**
 * Handles requests about jobs and terminals.
 * @param jobs returns the jobs of the open folder; throws ToolError no_workspace
 * @param absolute resolves the path of a folder in it
 */
export function createJobHandlers(
  jobs: () => Jobs,
  absolute: (path: string) => Promise<string>,
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
    'terminal.open': async ({ folder, ...size }) =>
      jobs().openTerminal(folder === undefined ? size : { ...size, cwd: await absolute(folder) }),
  }
}
