import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { z } from 'zod'
import type { TextResult } from '../../search/search.ts'
import { skippedNote, matchesView, moreMatchesNote, notSearchedNote, joinSections } from '../common/searchReport.ts'
import { literalTextNote } from '../common/literalText.ts'
import { defineTool } from '../common/toolDefinition.ts'

const maxLines = 500
const maxText = 300
/** Maximum number of matching lines to count. Counts need only the path of each line. */
const maxCounted = 50_000
const maxFiles = 1_000

export const grep = defineTool({
  name: 'Grep',
  title: 'Search text',
  description:
    'Searches file contents with a regular expression: matching lines as `path:line:text`, only the paths of files that match, or `path:count`. Hidden, binary, git-ignored and dependency files are skipped.',
  risk: 'read',
  schema: () =>
    z.object({
      pattern: z
        .string()
        .describe('Regular expression (Rust syntax, case-sensitive, line by line; prefix (?i) to ignore case).'),
      path: z.string().default('.').describe('Folder or file to search.'),
      output_mode: z
        .enum(['content', 'files', 'count'])
        .default('content')
        .describe('`content`: matching lines; `files`: paths only; `count`: matching lines per file.'),
    }),
  examples: [{ pattern: 'fn\\s+execute', path: 'src', output_mode: 'files' }, { pattern: '(?i)todo' }],
  reads: ({ path }) => [path],
  async run({ pattern, path, output_mode: mode }, context) {
    const bounds =
      mode === 'content'
        ? { maxResults: maxLines, maxText }
        : { maxResults: maxCounted, maxText: 1, ...(mode === 'files' ? { maxPerFile: 1 } : {}) }
    const result = await context.search.text(
      { pattern, paths: [path], ...bounds },
      {
        signal: context.signal,
        ...(mode === 'content' ? { onFound: (matches) => context.progress({ kind: 'matches', matches }) } : {}),
      },
    )
    const missing = notSearchedNote(result.skipped, result.binary)
    if (result.matches.length === 0) {
      const none = `No matches for "${pattern}" in "${path}" (${plural(result.filesSearched, 'file')} searched). ${skippedNote('contents')}\nNext: check the spelling, ignore case with (?i), or search another path.`
      const literal = await literalTextNote({ pattern, paths: [path], maxText }, context)
      return { text: joinSections(none, literal, missing), view: matchesView(pattern, result) }
    }
    if (mode === 'content') {
      const lines = result.matches.map((match) => `${match.path}:${match.line}:${match.text}`)
      return {
        text: joinSections(
          lines.join('\n'),
          moreMatchesNote(result, 'name a subfolder or file as `path`, or make `pattern` more specific.'),
          missing,
        ),
        view: matchesView(pattern, result),
      }
    }
    const counts = countByFile(result)
    const shown = [...counts].slice(0, maxFiles)
    const list = shown.map(([file, matches]) => (mode === 'count' ? `${file}:${matches}` : file)).join('\n')
    return {
      text: joinSections(
        list,
        truncationNotice(result, counts.size),
        mode === 'count' ? total(result, counts.size) : '',
        missing,
      ),
      view: {
        kind: 'files',
        paths: shown.map(([file]) => file),
        total: Math.max(result.files, counts.size),
        truncated: shown.length < counts.size || result.truncated,
      },
    }
  },
})

function countByFile({ matches }: TextResult): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of matches) counts.set(path, (counts.get(path) ?? 0) + 1)
  return counts
}

function total(result: TextResult, files: number): string {
  const least = result.truncated ? 'at least ' : ''
  return `(${least}${plural(result.matches.length, 'matching line')} in ${least}${plural(files, 'file')})`
}

function truncationNotice(result: TextResult, files: number): string {
  if (result.truncated)
    return `(The search ended after ${formatNumber(maxCounted)} matching lines, so files and counts may be missing. Name a subfolder as \`path\`, or make \`pattern\` more specific.)`
  return files > maxFiles
    ? `(showing ${maxFiles} of ${plural(files, 'file')}. Name a subfolder as \`path\` for the others.)`
    : ''
}
