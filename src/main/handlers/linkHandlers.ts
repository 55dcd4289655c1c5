import type { LocatedSymbol } from '../../shared/language/codeNavigation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import { dataLanguages } from '../code/index/languages.ts'
import type { FileNameSearch } from '../search/fileNameSearch.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Handlers } from '../core/coreContract.ts'

interface LinkServices {
  workspace: Pick<Workspace, 'resolve'>
  fileNames: Pick<FileNameSearch, 'endingWith'>
  code: Pick<CodeIndex, 'search'>
}

/** Number of symbols searched for the exact name. */
const maxSymbols = 20

/**
 * Locates the files and symbols mentioned in text from the model or a program.
 * @param current returns the services of the open folder
 */
export function createLinkHandlers(current: () => LinkServices): Pick<Handlers, 'links.locate'> {
  return {
    'links.locate': async ({ paths, names }, signal) => {
      const { workspace, fileNames, code } = current()
      const files = await Promise.all(paths.map((path) => fileAt(workspace, path)))
      // A path without its first folders, as models and test runners write it.
      const ends = paths.map((path) => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, ''))
      const missing = [...new Set(ends.filter((_end, index) => files[index] === null))].filter(
        (end) => end !== '' && !end.startsWith('/'),
      )
      const found = missing.length === 0 ? [] : await fileNames.endingWith(missing, signal)
      const byEnd = new Map(missing.map((end, index) => [end, found[index] ?? null]))
      const symbols: (LocatedSymbol | null)[] = []
      for (const name of names) symbols.push(await symbolNamed(code, name, signal))
      return { files: files.map((file, index) => file ?? byEnd.get(ends[index] ?? '') ?? null), symbols }
    },
  }
}

/** Returns the path of a file in the workspace; null if there is none. */
async function fileAt({ resolve }: LinkServices['workspace'], path: string): Promise<string | null> {
  // Accessing a network share would sign in there.
  if (/^[\\/]{2}/.test(path)) return null
  try {
    const { relative, type } = await resolve(path)
    return type === 'file' ? relative : null
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

async function symbolNamed(
  code: LinkServices['code'],
  mention: string,
  signal: AbortSignal,
): Promise<LocatedSymbol | null> {
  const wanted = mention.replaceAll(/::|#/g, '.')
  const name = wanted.slice(wanted.lastIndexOf('.') + 1)
  const rows = (await code.search({ query: mention, limit: maxSymbols }, signal)).filter(
    (row) =>
      row.name === name &&
      (row.qualified === wanted || row.qualified.endsWith(`.${wanted}`)) &&
      row.kind !== 'import' &&
      row.kind !== 'export' &&
      // Keys such as `name` are rarely meant.
      !dataLanguages.has(row.language),
  )
  const [first] = rows
  return first
    ? { name: mention, path: first.path, line: first.name_line, column: first.name_column, several: rows.length > 1 }
    : null
}
