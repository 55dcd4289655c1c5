import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { z } from 'zod'
import { findByGlob } from '../common/findByGlob.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { skippedNote, notSearchedNote, joinSections } from '../common/searchReport.ts'

const maxFiles = 200

export const findFilesGlob = defineTool({
  name: 'find_files_glob',
  aliases: ['glob'],
  title: 'Find files by glob',
  description: `Finds files by a glob pattern; returns at most ${maxFiles} paths. \`*\` matches within a folder, \`**\` across folders, {a,b} alternatives; a pattern without "/" matches in any folder. Hidden (unless named), git-ignored and dependency files are skipped.`,
  risk: 'read',
  schema: () =>
    z.object({
      pattern: z.string().describe('Glob relative to `path`, e.g. "**/*.rs", "src/*.{ts,tsx}" or "*.md".'),
      path: z.string().default('.').describe('Folder to search.'),
      case_sensitive: z.boolean().default(false).describe('Whether case matters.'),
    }),
  parameterAliases: { glob: 'pattern' },
  examples: [
    { pattern: '**/*.tsx', path: 'src' },
    { pattern: '*.{json,toml}' },
    { pattern: 'README*', case_sensitive: true },
  ],
  async run(args, context) {
    const { found: result, note } = await findByGlob(
      { path: args.path, glob: args.pattern, caseSensitive: args.case_sensitive, maxResults: maxFiles },
      context,
    )
    const { paths, total, truncated } = result
    const found =
      total > 0
        ? paths.join('\n')
        : `No file in "${args.path}" matches "${args.pattern}" (${plural(result.filesSearched, 'file')} searched). ${skippedNote('names')}\nNext: try a wider glob such as "**/*name*" (globs are relative to \`path\`), or find_files with a part of the name.`
    const more = truncated
      ? `(showing ${paths.length} of ${plural(total, 'file')}: ${formatNumber(total - paths.length)} more. To narrow: name a subfolder as \`path\`, or use a more specific \`pattern\`.)`
      : ''
    return {
      text: joinSections(found, note, more, notSearchedNote(result.skipped)),
      view: { kind: 'files', paths, total, truncated },
    }
  },
})
