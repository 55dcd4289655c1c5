import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { matchesName, parseNamePattern } from '../base/wildcard.ts'

/** Limits for the wildcards of one command. */
const maxPatterns = 50
const maxPatternLength = 500
/** Maximum number of folder entries that are read. */
const maxEntries = 2000

const hasWildcard = (text: string): boolean => /[*?[]/.test(text)

/**
 * Returns the paths that words with wildcards select, relative to the folder. Words come from files of a folder, so
 * they are matched in linear time. Entries after the limit are not found.
 */
export async function selectedFiles(words: readonly string[], folder: string): Promise<string[]> {
  const patterns = words
    .filter((word) => hasWildcard(word) && word.length <= maxPatternLength && !word.startsWith('/'))
    .map((word) => word.split('/').filter((segment) => segment !== '' && segment !== '.'))
    .filter((segments) => !segments.includes('..'))
    .slice(0, maxPatterns)
  const found = new Set<string>()
  let left = maxEntries

  async function select(at: string, [segment, ...rest]: readonly string[]): Promise<void> {
    if (segment === undefined) found.add(at)
    else if (!hasWildcard(segment)) await select(join(at, segment), rest)
    else {
      // The shell reads `**` as `*`, as a pattern for one name does.
      const pattern = parseNamePattern(segment)
      if (pattern === undefined) return
      for (const name of await readNames(join(folder, at)))
        if (matchesName(pattern, name)) await select(join(at, name), rest)
    }
  }

  async function readNames(path: string): Promise<string[]> {
    const names: string[] = []
    if (left === 0) return names
    try {
      for await (const { name } of await opendir(path)) {
        if (left === 0) break
        left -= 1
        names.push(name)
      }
    } catch {
      // Missing, or no folder.
    }
    return names
  }

  for (const segments of patterns) await select('', segments)
  return [...found]
}
