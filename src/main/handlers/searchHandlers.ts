import { ToolError } from '../../shared/errors.ts'
import type { FileNameSearch } from '../search/fileNameSearch.ts'
import { splitGlobs } from '../search/globs.ts'
import type { Search } from '../search/search.ts'
import type { FileRules } from '../workspaceServices/fileRules.ts'
import type { Handlers } from '../core/coreContract.ts'

/** Services of the open folder that the search panel and quick open use. */
export interface SearchServices {
  search: Search
  fileNames: FileNameSearch
  fileRules(): Promise<FileRules>
}

/** Maximum UTF-16 units of a matching line. The panel shows one row per match. */
const maxText = 400

/**
 * Handles requests from the search panel and quick open.
 * @param current returns the services of the open folder, or null while none is open
 */
export function createSearchHandlers(
  current: () => SearchServices | null,
): Pick<Handlers, 'files.find' | 'search.text'> {
  function services(): SearchServices {
    const found = current()
    if (!found) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
    return found
  }

  return {
    'files.find': async ({ query, limit }, signal) => {
      const { fileNames, fileRules } = services()
      return fileNames.find(query, limit, signal, (await fileRules()).isFound)
    },
    'search.text': async ({ query, regex, include, exclude, limit, ...options }, signal) => {
      const { search, fileRules } = services()
      const { excluded } = await fileRules()
      const { matches, total, truncated } = await search.text(
        {
          pattern: query,
          fixed: !regex,
          ...options,
          globs: [
            ...splitGlobs(include).map(anchored),
            ...[...splitGlobs(exclude).map(anchored), ...excluded].map((glob) => `!${glob.replace(/^!/, '')}`),
          ],
          maxResults: limit,
          maxText,
        },
        { signal },
      )
      if (options.replacement === undefined) return { matches, total, truncated }
      const replaceable = matches.filter(({ replacements }) => replacements !== undefined)
      return { matches: replaceable, total, truncated: truncated || replaceable.length < matches.length }
    },
  }
}

/** As in VS Code, `./src` only means a folder at the top, for example one of a multi-root workspace. */
const anchored = (glob: string): string => glob.replace(/^(!?)\.\/+/, '$1/')
