import type { FileQuery, FileResult } from '../../search/search.ts'
import type { ToolContext } from './toolDefinition.ts'

/**
 * Finds files by glob. If no file has the exact name, text without wildcards is searched in names.
 * @returns the files, and a note if the text was searched in names
 */
export async function findByGlob(
  query: FileQuery & { glob: string },
  { search, signal }: ToolContext,
): Promise<{ found: FileResult; note: string }> {
  const found = await search.files(query, { signal })
  if (found.total > 0 || /[*?[{\\]/.test(query.glob)) return { found, note: '' }
  const cut = query.glob.lastIndexOf('/') + 1
  const [folder, name] = [query.glob.slice(0, cut), query.glob.slice(cut)]
  if (name === '') return { found, note: '' }
  const glob = `${folder === '' || folder.startsWith('/') ? folder : `**/${folder}`}*${name}*`
  const partly = await search.files({ ...query, glob, caseSensitive: false }, { signal })
  return partly.total === 0
    ? { found, note: '' }
    : { found: partly, note: `(No file is named "${query.glob}". These have it in their name.)` }
}
