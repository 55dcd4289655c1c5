import { z } from 'zod'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import type { Match } from '../../../shared/tools/tool.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { queryWords, symbolKinds, type QueryWords, type RankedPassage, type SymbolKind } from '../../code/codeIndex.ts'
import { languages } from '../../code/index/languages.ts'
import { capValue, joinSections } from '../common/searchReport.ts'
import { wordIndexNote } from '../common/symbolReport.ts'
import { nearestNames } from '../arguments/nearestName.ts'
import { truncateLine, relevantLines, type NumberedLine } from '../common/relevantLines.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

const defaultBlocks = 20
/** Maximum value of `limit`. */
const maxLimit = 100
/**
 * Maximum length of a result in characters, below the limit at which the toolset truncates, so that blocks stay
 * complete.
 */
const maxLength = 45_000
/** Maximum number of blocks per file, so that a long file does not fill the result. */
const maxBlocksPerFile = 4
/** Maximum lines of a block in a result, in addition to its first line. */
const maxRelevantLines = 4

/** Symbol kinds that a search returns. Imports and exports are left out, because they only refer to symbols. */
const blockKinds: readonly SymbolKind[] = symbolKinds.filter((kind) => kind !== 'import' && kind !== 'export')
/** Kinds that usually have one or two lines. They are parts of blocks, so they are found only by name. */
const smallKinds: ReadonlySet<SymbolKind> = new Set(['constant', 'variable', 'property', 'enum_member'])
/** Maximum number of symbols searched for these kinds. */
const maxSmallSymbols = 1000

/** Names that models use for symbol kinds of the index. */
const kindNames: Readonly<Record<string, readonly SymbolKind[] | undefined>> = {
  function: ['function', 'method'],
  func: ['function', 'method'],
  fn: ['function', 'method'],
  def: ['function', 'method'],
  mod: ['module', 'namespace'],
  type_alias: ['type'],
  const: ['constant'],
  let: ['variable'],
  var: ['variable'],
  field: ['property'],
  variant: ['enum_member'],
}

export const codebaseSearch = defineTool({
  name: 'codebase_search',
  title: 'Search the code base',
  description:
    `Finds the blocks of code and text that best match a question, words or names, in an index of the whole project; ` +
    `best first. For an exact text use shell_exec with grep.`,
  risk: 'read',
  schema: () =>
    z.object({
      query: z.string().describe('What to find: natural language, names, or both.'),
      filter: z
        .string()
        .optional()
        .describe(
          'Only blocks of this kind, e.g. "function" (methods included), "struct", "class", "interface", "enum", "trait".',
        ),
      language: z
        .string()
        .optional()
        .describe('Only files of this language, e.g. "rust", "python", "typescript", or an extension ("tsx").'),
      limit: z.number().int().min(1).default(defaultBlocks).describe(`Blocks to return (at most ${maxLimit}).`),
      offset: z.number().int().min(0).default(0).describe('Blocks to skip: `next_offset` of the previous result.'),
    }),
  examples: [
    { query: 'where are the users of the office kept?' },
    { query: 'run a command', filter: 'function', language: 'rust' },
  ],
  async run(args, context) {
    const { code, signal } = context
    const words = queryWords(args.query)
    if (words.words.length === 0)
      throw new ToolError(
        'invalid_arguments',
        'The query contains no words of two letters or more.',
        'Describe in a few words what to find, or name it.',
      )
    const kinds = kindsOf(args.filter)
    const ids = languagesOf(args.language)
    const limit = capValue('limit', args.limit, maxLimit)
    const end = args.offset + limit.value
    // One more than shown, to detect further blocks.
    const large = await code.passages(
      { question: args.query, kinds, languages: ids, limit: end + 1, perFile: maxBlocksPerFile },
      signal,
    )
    const { small, omitted } = kinds?.some((kind) => smallKinds.has(kind))
      ? await smallSymbols(words, kinds, ids, context)
      : { small: [], omitted: '' }
    const found: Block[] = small.length > 0 ? small : large
    const formatted = await Promise.all(
      found.slice(args.offset, end).map((passage) => formatBlock(passage, words, context)),
    )
    const fitting = wholeBlocks(formatted.map((block) => block?.text.length ?? 0))
    const blocks = formatted.slice(0, fitting).filter((block) => block !== undefined)
    const next = args.offset + fitting
    const more = next < found.length ? `(There is more: next_offset ${next}. Call again with \`offset\` ${next}.)` : ''
    const note = wordIndexNote(await code.status()).index
    const only = [kinds ? ` of kind "${args.filter}"` : '', ids ? ` in ${args.language} files` : ''].join('')
    const wider =
      only === '' ? 'Use other words, or a likely name.' : 'Omit `filter` and `language`, or use other words.'
    const nothing =
      args.offset > 0 && found.length > 0
        ? `There are ${plural(found.length, 'block')}, so offset ${args.offset} is out of range.`
        : `Nothing${only} contains a word of "${args.query}".\nNext: ${wider}`
    return {
      text: joinSections(
        blocks.length > 0 ? blocks.map(({ text }) => text).join('\n\n') : nothing,
        more,
        omitted,
        limit.note,
        note === undefined ? '' : `(${note})`,
      ),
      readMoreHint: 'To see less, use `filter` or `language`',
      view: {
        kind: 'matches',
        pattern: args.query,
        matches: blocks.map(({ match }) => match),
        total: blocks.length,
        truncated: more !== '',
      },
    }
  },
})

/** Returns how many blocks fit, at least one, which the toolset truncates if necessary. */
function wholeBlocks(lengths: readonly number[]): number {
  let room = maxLength
  const first = lengths.findIndex((length, index) => {
    room -= length + 2
    return room < 0 && index > 0
  })
  return first < 0 ? lengths.length : first
}

type Block = Pick<RankedPassage, 'path' | 'line' | 'end_line' | 'kind' | 'qualified' | 'symbol_line'> & {
  score?: number
}

/** Finds constants, variables and properties by words in their names, signatures and comments. */
async function smallSymbols(
  { words, variants }: QueryWords,
  kinds: readonly SymbolKind[],
  ids: readonly string[] | undefined,
  { code, signal }: ToolContext,
): Promise<{ small: Block[]; omitted: string }> {
  const found = await code.searchText([...words, ...variants], maxSmallSymbols + 1, signal)
  const small = found
    .slice(0, maxSmallSymbols)
    .filter(({ kind, language }) => kinds.includes(kind) && (!ids || ids.includes(language)))
    .map(({ path, line, end_line, kind, qualified }) => ({ path, line, end_line, kind, qualified, symbol_line: line }))
  const searched = plural(maxSmallSymbols, 'symbol')
  return {
    small,
    omitted:
      found.length > maxSmallSymbols
        ? `(${formatNumber(small.length)} shown of at least ${searched} with these words; only the first ${formatNumber(maxSmallSymbols)} were searched. Use rarer words to see others.)`
        : '',
  }
}

/** Formats a block. Undefined if the file no longer exists. */
async function formatBlock(
  passage: Block,
  words: QueryWords,
  { documents, signal }: ToolContext,
): Promise<{ text: string; match: Match } | undefined> {
  const { path, line, end_line, kind, qualified, score } = passage
  const lines = await linesOf(path)
  if (!lines) return undefined
  const relevant = relevantLines(lines, line, end_line, words, maxRelevantLines)
  const first: NumberedLine = {
    line: passage.symbol_line !== null && passage.symbol_line >= line ? passage.symbol_line : line,
    text: '',
  }
  const all = new Map(
    [{ ...first, text: truncateLine(lines[first.line - 1] ?? '') }, ...relevant].map((one) => [one.line, one.text]),
  )
  const snippet = [...all].toSorted((a, b) => a[0] - b[0]).map(([number, text]) => `  ${number}: ${text}`)
  const about = [score === undefined ? '' : `score ${score}`, kind === null ? '' : `${kind} ${qualified}`]
    .filter((part) => part !== '')
    .join(', ')
  const best = relevant[0] ?? first
  return {
    text: `${path}:${line}-${end_line}${about === '' ? '' : ` (${about})`}\n${snippet.join('\n')}`,
    match: { path, line: best.line, text: lines[best.line - 1] ?? '' },
  }

  async function linesOf(place: string): Promise<string[] | undefined> {
    try {
      return (await documents.read(place, signal)).text.split('\n')
    } catch (error) {
      if (toFailure(error).code === 'not_found') return undefined
      throw error
    }
  }
}

function kindsOf(given: string | undefined): readonly SymbolKind[] | undefined {
  if (given === undefined || given.trim() === '') return undefined
  const wanted = given.trim().toLowerCase().replaceAll(/[-\s]/g, '_')
  const other = Object.hasOwn(kindNames, wanted) ? kindNames[wanted] : undefined
  const named = other ?? blockKinds.filter((kind) => [kind, `${kind}s`, `${kind}es`].includes(wanted))
  if (named.length > 0) return named
  const [near] = nearestNames(wanted, blockKinds)
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  throw new ToolError(
    'invalid_arguments',
    `Unknown kind of block "${given}"${hint}`,
    `Kinds: ${blockKinds.join(', ')}.`,
  )
}

/** Returns language ids for a name, title or extension. TypeScript includes `.tsx` files. */
function languagesOf(given: string | undefined): readonly string[] | undefined {
  if (given === undefined || given.trim() === '') return undefined
  const wanted = given.trim().toLowerCase().replace(/^\./, '')
  const found = languages
    .filter(
      ({ id, title, extensions }) => id === wanted || title.toLowerCase() === wanted || extensions.includes(wanted),
    )
    .map(({ id }) => id)
  if (found.length > 0) return found.includes('typescript') ? [...found, 'tsx'] : found
  const near = nearestNames(
    wanted,
    languages.map(({ id }) => id),
  )
  throw new ToolError(
    'invalid_arguments',
    `Unknown language "${given}"${near.length === 0 ? '' : `; did you mean "${near[0]}"?`}`,
    `Omit \`language\`, or pass one of ${plural(languages.length, 'language')}, e.g. rust, python, typescript, go, java, markdown.`,
  )
}
