import { z } from 'zod'

/** `path` of the git tools. */
export const repositoryPath = z
  .string()
  .default('.')
  .describe('Folder of the repository, or one below it. Default: the workspace.')

/** A word on files whose filter was not run. */
export function unfiltered(filters: readonly string[]): string[] {
  if (filters.length === 0) return []
  return [`[Configured filters (${filters.join(', ')}) are not run, so files that use them can show as changed.]`]
}
