import { z } from 'zod'
import type { Match } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { splitGlobs } from '../../search/globs.ts'
import { literalTextNote } from '../common/literalText.ts'
import { defineTool } from '../common/toolDefinition.ts'
import {
  capValue,
  skippedNote,
  matchesView,
  moreMatchesNote,
  notSearchedNote,
  joinSections,
} from '../common/searchReport.ts'

const contextLines = 2
const maxMatches = 500
const maxText = 200
/** Maximum size of all matches, below the limit at which the toolset truncates. */
const room = { bytes: 48_000, lines: 1_900 }
/** Time limit in milliseconds. There is no parameter for it; a slow search must be narrowed. */
const timeoutMs = 30_000

export const codebaseSearch = defineTool({
  name: 'codebase_search',
  title: 'Search with context',
  description: `Searches the workspace with a regular expression and shows each match (">>>") with ${contextLines} lines before and after. Hidden, binary, git-ignored and dependency files are skipped. For a compact list use grep_search.`,
  risk: 'read',
  schema: () =>
    z.object({
      query: z
        .string()
        .describe('Regular expression (Rust syntax, case-sensitive, line by line; prefix (?i) to ignore case).'),
      file_pattern: z
        .string()
        .optional()
        .describe(
          'Only files that match one of these globs, separated by commas, e.g. "*.rs,*.toml" or "src/**/*.ts"; prefix "!" to exclude files.',
        ),
      max_results: z.number().int().min(1).default(50).describe(`Matches to return (at most ${maxMatches}).`),
      offset: z.number().int().min(0).default(0).describe('Matches to skip: `next_offset` of the previous result.'),
    }),
  examples: [
    { query: 'struct.*Config', file_pattern: '*.rs', max_results: 20 },
    { query: 'import .*react', file_pattern: '*.ts,*.tsx' },
  ],
  async run(args, context) {
    const limit = capValue('max_results', args.max_results, maxMatches)
    const query = { pattern: args.query, globs: splitGlobs(args.file_pattern ?? ''), maxText, timeoutMs }
    const result = await context.search.text(
      { ...query, maxResults: limit.value, context: contextLines },
      { signal: context.signal, onFound: (matches) => context.progress({ kind: 'matches', matches }) },
    )
    const only = args.file_pattern === undefined ? '' : ` in files like "${args.file_pattern}"`
    // The order of matches is stable, so pages are consistent.
    const blocks = wholeBlocks(result.matches.slice(args.offset).map(block))
    const next = args.offset + blocks.length
    const shown = { ...result, matches: result.matches.slice(args.offset, next) }
    const found =
      blocks.length > 0
        ? blocks.join('\n\n')
        : `No matches for "${args.query}"${only} (${plural(result.filesSearched, 'file')} searched). ${skippedNote('contents')}\nNext: check the spelling, ignore case with (?i), ${only === '' ? '' : 'omit `file_pattern`, '}or use grep_search with \`include_dependencies\` for installed packages.`
    const late = result.timedOut
      ? `(The search was stopped after ${timeoutMs / 1000} s, so matches may be missing. To narrow: use \`file_pattern\` or a more specific \`query\`.)`
      : ''
    const more =
      late === ''
        ? moreMatchesNote(
            shown,
            `use \`file_pattern\` or a more specific \`query\`${limit.value < maxMatches ? `, or raise \`max_results\` (at most ${maxMatches})` : ''}.`,
          )
        : ''
    const paged =
      next < result.matches.length
        ? `(${plural(result.matches.length - next, 'match', 'matches')} did not fit. next_offset ${next}: call again with \`offset\` ${next} and the same other arguments.)`
        : ''
    return {
      text: joinSections(
        found,
        result.total === 0 && !result.timedOut ? await literalTextNote(query, context) : '',
        more,
        paged,
        late,
        notSearchedNote(result.skipped, result.binary),
        limit.note,
      ),
      view: matchesView(args.query, shown),
    }
  },
})

/** Returns the complete matches that fit. */
function wholeBlocks(blocks: readonly string[]): string[] {
  let { bytes, lines } = room
  const end = blocks.findIndex((text) => {
    bytes -= Buffer.byteLength(text) + 2
    lines -= text.split('\n').length + 1
    return bytes < 0 || lines < 0
  })
  return end < 0 ? [...blocks] : blocks.slice(0, end)
}

function block({ path, line, text, before = [], after = [] }: Match): string {
  const first = line - before.length
  return [
    `${path}:${line}:`,
    ...before.map((other, index) => `    ${first + index}: ${other}`),
    `>>> ${line}: ${text}`,
    ...after.map((other, index) => `    ${line + 1 + index}: ${other}`),
  ].join('\n')
}
