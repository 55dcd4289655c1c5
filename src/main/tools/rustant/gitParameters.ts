import { z } from 'zod'

/** Schema of `path` in the git tools. */
export const repositoryPath = z.string().default('.').describe('Folder in the repository. Default: the workspace.')

/** Reports filters that did not run. */
export function skippedFiltersNote(filters: readonly string[]): string[] {
  if (filters.length === 0) return []
  return [`[Configured filters (${filters.join(', ')}) do not run, so files that use them can appear as changed.]`]
}
