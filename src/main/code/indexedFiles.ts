import type { Search } from '../search/search.ts'
import type { CodeIndexOptions } from './codeIndexOptions.ts'

// Which files the code index reads: those that a search finds, except secret ones. `maxFileSize` in
// index/indexLimits.ts is the maximum size.

const maxFiles = 200_000

/** Lists the files to index, relative to the workspace. */
export async function listFilesToIndex(search: Search, signal: AbortSignal): Promise<readonly string[]> {
  return (await search.files({ maxResults: maxFiles }, { signal })).paths
}

/** Returns what the code index may read: every file and unsaved text that is not secret. */
export function publicFiles(
  search: Search,
  dirtyBuffers: CodeIndexOptions['dirtyBuffers'],
  isSecret: (path: string) => boolean,
): Pick<CodeIndexOptions, 'search' | 'dirtyBuffers'> {
  return {
    search: {
      ...search,
      text: (query, call) => search.text({ ...query, leaveOut: isSecret }, call),
      files: (query, call) => search.files({ ...query, leaveOut: isSecret }, call),
    },
    dirtyBuffers: () => dirtyBuffers().filter(({ path }) => !isSecret(path)),
  }
}
