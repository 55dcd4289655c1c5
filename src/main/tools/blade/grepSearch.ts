import { plural } from '../../../shared/text/plural.ts'
import { z } from 'zod'
import type { TextResult } from '../../search/search.ts'
import { defineTool, type ToolOutput } from '../common/toolDefinition.ts'
import { literalTextNote } from '../common/literalText.ts'
import { directoryAliases } from './symbolParameters.ts'
import {
  capValue,
  skippedNote,
  matchesView,
  moreMatchesNote,
  notSearchedNote,
  joinSections,
} from '../common/searchReport.ts'

const maxMatches = 200
const maxText = 200
const maxTimeoutMs = 60_000

const schema = () =>
  z.object({
    pattern: z
      .string()
      .describe(
        'Regular expression (Rust syntax, case-sensitive, line by line; prefix (?i) to ignore case). Escape ( ) [ ] { } . * + ? | ^ $ to match them literally.',
      ),
    path: z.string().default('.').describe('Folder or file to search.'),
    include_dependencies: z
      .boolean()
      .default(false)
      .describe('Also search installed dependencies such as node_modules and vendor, even if git-ignored.'),
    timeout_ms: z
      .number()
      .int()
      .min(1)
      .default(8000)
      .describe(`Milliseconds after which the matches found so far are returned (at most ${maxTimeoutMs}).`),
  })

export const grepSearch = defineTool({
  name: 'grep_search',
  aliases: ['rg'],
  title: 'Search text',
  description: `Searches file contents with a regular expression and returns \`path:line:text\` lines, ${maxMatches} at most. Hidden, binary and git-ignored files are skipped. To see the lines around each match use codebase_search.`,
  risk: 'read',
  schema,
  parameterAliases: { query: 'pattern', regex: 'pattern', ...directoryAliases },
  examples: [
    { pattern: 'fn\\s+main', path: 'src' },
    { pattern: '(?i)todo|fixme' },
    { pattern: 'createServer', include_dependencies: true, timeout_ms: 20_000 },
  ],
  reads: ({ path }) => [path],
  async run(args, context) {
    const timeout = capValue('timeout_ms', args.timeout_ms, maxTimeoutMs)
    const query = {
      pattern: args.pattern,
      paths: [args.path],
      includeDependencies: args.include_dependencies,
      timeoutMs: timeout.value,
      maxResults: maxMatches,
      maxText,
    }
    const result = await context.search.text(query, {
      signal: context.signal,
      onFound: (matches) => context.progress({ kind: 'matches', matches }),
    })
    if (result.timedOut) return timedOut(args, timeout.value, result)
    const isEmpty = result.matches.length === 0
    return {
      text: joinSections(
        isEmpty ? nothingFound(args, result) : lines(result).join('\n'),
        isEmpty ? await literalTextNote(query, context) : '',
        moreMatchesNote(result, 'name a subfolder or file as `path`, or make `pattern` more specific.'),
        notSearchedNote(result.skipped, result.binary),
        timeout.note,
      ),
      view: matchesView(args.pattern, result),
    }
  },
})

function lines(result: TextResult): string[] {
  return result.matches.map(({ path, line, text }) => `${path}:${line}:${text}`)
}

function nothingFound(args: z.output<ReturnType<typeof schema>>, result: TextResult): string {
  const next = [
    'check the spelling',
    ...(args.pattern.startsWith('(?i)') ? [] : [`ignore case with "(?i)${args.pattern.slice(0, 100)}"`]),
    ...(args.path === '.' ? [] : ['search the whole workspace (omit `path`)']),
    ...(args.include_dependencies ? [] : ['set `include_dependencies` to search installed packages']),
  ]
  return `No matches for "${args.pattern}" in "${args.path}" (${plural(result.filesSearched, 'file')} searched). ${skippedNote('contents', args.include_dependencies)}\nNext: ${next.join(', or ')}.`
}

function timedOut(args: z.output<ReturnType<typeof schema>>, timeoutMs: number, result: TextResult): ToolOutput {
  const answer = {
    timed_out: true,
    timeout_ms: timeoutMs,
    pattern: args.pattern,
    path: args.path,
    partial_results: lines(result),
    next_step_hint: `The search was stopped after ${timeoutMs} ms, so matches may be missing. Search a subfolder or file through \`path\`, make \`pattern\` more specific${args.include_dependencies ? ', omit `include_dependencies`' : ''}${timeoutMs < maxTimeoutMs ? `, or raise \`timeout_ms\` (at most ${maxTimeoutMs})` : ''}.`,
    metrics: {
      matches_found: result.total,
      matches_returned: result.matches.length,
      files_with_matches: result.files,
      elapsed_ms: result.elapsedMs,
    },
  }
  return { text: JSON.stringify(answer, null, 2), format: 'json', view: matchesView(args.pattern, result) }
}
