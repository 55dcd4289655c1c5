import type { ToolServices } from '../../tools/common/toolDefinition.ts'

/** The open folder as guided turns see it. */
export interface GuidedFolder {
  /**
   * Returns files, the likeliest first: files that the texts name, then recent ones, then files near the top of the
   * folder. Returns at most `maxPaths`. @throws AbortError
   */
  paths(texts: readonly string[], recent: readonly string[], signal: AbortSignal): Promise<string[]>
  /** Returns the files that contain a distinctive word of a text. @throws AbortError */
  containing(text: string, signal: AbortSignal): Promise<string[]>
  /** Whether a text names a file of the folder, with its extension. @throws AbortError */
  names(text: string, signal: AbortSignal): Promise<boolean>
  /** Returns the text of a file, with unsaved changes. @throws ToolError, AbortError */
  text(path: string, signal: AbortSignal): Promise<string>
}

/** Maximum number of paths in a schema. llama-server is as fast with 200 as with none, and half as fast with 2,000. */
const maxPaths = 200
/** Maximum number of files to rank. */
const maxListed = 20_000

/** Maximum number of words to search for, of matches per word, and of files for a word to be distinctive. */
const maxWords = 12
const maxMatches = 50
const maxFiles = 5

/** Maximum characters of a text that is searched for paths. */
const maxText = 4000

/** @param services without secret files */
export function createGuidedFolder(services: () => Pick<ToolServices, 'search' | 'documents'>): GuidedFolder {
  const listed = async (signal: AbortSignal) =>
    (await services().search.files({ maxResults: maxListed }, { signal })).paths
  return {
    async paths(texts, recent, signal) {
      return rankPaths(await listed(signal), texts.join('\n'), recent).slice(0, maxPaths)
    },
    async containing(text, signal) {
      const words = [...new Set(text.match(/[\p{L}\p{N}_]{3,}/gu))].slice(0, maxWords)
      const results = words.map((pattern) =>
        services().search.text({ pattern, fixed: true, wholeWord: true, maxResults: maxMatches }, { signal }),
      )
      const found = (await Promise.all(results)).map(({ matches }) => new Set(matches.map(({ path }) => path)))
      return [...new Set(found.filter(({ size }) => size <= maxFiles).flatMap((paths) => [...paths]))]
    },
    async names(text, signal) {
      return /\.\w/.test(text) && namesFile(text, await listed(signal))
    },
    async text(path, signal) {
      return (await services().documents.read(path, signal)).text
    },
  }
}

/** Whether a text contains the name of one of the files as a word, with its extension. */
export function namesFile(text: string, paths: readonly string[]): boolean {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const names = new Set(paths.map(nameOf).filter((name) => name.includes('.', 1)))
  const words = text
    .slice(0, maxText)
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.-]/u)
  // A file at the end of a sentence is followed by a period.
  return words.some((word) => names.has(word) || (word.endsWith('.') && names.has(word.slice(0, -1))))
}

/** Orders paths by whether the text names them, then recent ones, then by depth and name. */
export function rankPaths(paths: readonly string[], text: string, recent: readonly string[]): string[] {
  const lower = text.slice(0, maxText).toLowerCase()
  const rank = (path: string) => {
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    const stem = name.replace(/\.[^.]*$/, '')
    const named = lower.includes(path.toLowerCase()) ? 0 : lower.includes(name) ? 1 : mentions(lower, stem) ? 3 : 4
    return recent.includes(path) ? Math.min(named, 2) : named
  }
  const depth = (path: string) => path.split('/').length
  return paths
    .map((path) => ({ path, rank: rank(path), depth: depth(path) }))
    .toSorted((a, b) => a.rank - b.rank || a.depth - b.depth || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path)
}

/** Whether a text contains a stem that is long enough to be meaningful. */
function mentions(text: string, stem: string): boolean {
  return stem.length >= 3 && text.includes(stem)
}
