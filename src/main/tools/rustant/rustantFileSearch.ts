import { z } from 'zod'
import { plural } from '../../../shared/text/plural.ts'
import type { FileResult } from '../../search/search.ts'
import { checkNamePattern, skippedNote, notSearchedNote, joinSections } from '../common/searchReport.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

const maxFiles = 200
/** Maximum number of file names to search. */
const maxSearchedFiles = 100_000

export const fileSearch = defineTool({
  name: 'file_search',
  title: 'Find files by name',
  description: `Finds files by a glob ("**/*.rs", "*.{json,toml}") or by a part of the name ("config"), ignoring case; at most ${maxFiles}. Hidden, git-ignored and dependency files are skipped.`,
  risk: 'read',
  schema: () =>
    z.object({
      pattern: z.string().describe('Glob relative to `path` (with * ? [ ] or { }), or a plain part of the name.'),
      path: z.string().default('.').describe('Folder to search.'),
    }),
  examples: [{ pattern: '**/*.rs', path: 'src' }, { pattern: 'readme' }],
  async run({ pattern, path }, context) {
    const glob = /[*?[{]/.test(pattern)
    const found = glob
      ? await context.search.files({ path, glob: pattern, maxResults: maxFiles }, { signal: context.signal })
      : await byName(pattern, path, context)
    const paths = found.paths.slice(0, maxFiles)
    const none = `No file in "${path}" ${glob ? 'matches' : 'has a name that contains'} "${pattern}" (${plural(found.filesSearched, 'file')} searched). ${skippedNote('names')}\nNext: try a shorter part of the name, or a wider glob such as "**/*name*".`
    const truncated = found.total > paths.length
    const more = truncated
      ? `(showing ${paths.length} of ${plural(found.total, 'file')}. To narrow: name a subfolder as \`path\`, or use a more specific \`pattern\`.)`
      : ''
    const partly =
      found.truncated && !glob ? `(Only the first ${plural(maxSearchedFiles, 'file')} by path were searched.)` : ''
    return {
      text: joinSections(paths.length > 0 ? paths.join('\n') : none, more, partly, notSearchedNote(found.skipped)),
      view: { kind: 'files', paths, total: found.total, truncated },
    }
  },
})

/** Matches text with a `/` against the path, and other text against the name. */
async function byName(text: string, path: string, { search, signal }: ToolContext): Promise<FileResult> {
  checkNamePattern(text, 'to see a folder use file_list')
  const all = await search.files({ path, maxResults: maxSearchedFiles }, { signal })
  const wanted = text.normalize('NFC').toLowerCase()
  const paths = all.paths.filter((file) =>
    (wanted.includes('/') ? file : file.slice(file.lastIndexOf('/') + 1))
      .normalize('NFC')
      .toLowerCase()
      .includes(wanted),
  )
  return { ...all, paths, total: paths.length }
}
