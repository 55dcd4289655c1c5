import { toFailure } from '../../../../shared/errors.ts'
import { plural } from '../../../../shared/text/plural.ts'
import { queryWords, type Edge, type QueryWords, type RankedPassage } from '../../../code/codeIndex.ts'
import type { RankByMeaning } from '../../../model/embeddings/meaningRanking.ts'
import { truncateLine, relevantLines } from '../../common/relevantLines.ts'
import type { ToolContext } from '../../common/toolDefinition.ts'
import type { Evidence, Finding } from './modelFindings.ts'

/** A symbol that calls or is called by the symbol of a finding. */
export interface RelatedSymbol {
  relation: 'calls' | 'called by'
  symbol: string
  of: string
  path: string
  line: number
  /** `resolved`: imports and scopes were followed. `name`: only the name matches. */
  match: 'resolved' | 'name'
}

/** Findings of a search without a model. */
export interface CodeSearchResult {
  findings: Finding[]
  related: RelatedSymbol[]
  /** Number of index queries. */
  calls: number
  /** The signal ended the search early. */
  timedOut: boolean
  /** Notes about results that are not included. */
  notes: string[]
}

const maxFiles = 8
const passagesPerFile = 3
/** Number of passages that an embedding model ranks. */
const maxRankedByMeaning = 60
/** Number of findings whose symbols are followed through the graph. */
const maxFollowedSymbols = 3
const edgesPerSymbol = 10

/**
 * Finds passages without a model: one finding per file for the passages that best match the objective, and callers and
 * callees of the first ones. Deterministic for the same files and words.
 * @param signal stops the search with the findings so far; the context's own signal makes it throw
 */
export async function searchCode(
  objective: string,
  paths: readonly string[] | undefined,
  maxCalls: number,
  context: ToolContext,
  signal: AbortSignal,
): Promise<CodeSearchResult> {
  const { code, rankByMeaning } = context
  const words = queryWords(objective)
  const result: CodeSearchResult = { findings: [], related: [], calls: 1, timedOut: false, notes: [] }
  try {
    const limit = rankByMeaning ? maxRankedByMeaning : (maxFiles + 1) * passagesPerFile
    const found = await code.passages({ question: objective, paths, limit, perFile: passagesPerFile }, signal)
    const passages = rankByMeaning
      ? await orderByMeaning(objective, found, { rank: rankByMeaning, documents: context.documents }, signal)
      : found
    const all = [...Map.groupBy(passages, ({ path }) => path).values()]
    const files = all.slice(0, maxFiles)
    if (all.length > maxFiles)
      result.notes.push(
        `Findings of the search: the ${maxFiles} best files of at least ${all.length}. To see others, narrow \`scope\` or use other words.`,
      )
    for (const ofFile of files) result.findings.push(...(await findingOf(ofFile, words, context, signal)))
    const symbols = files
      .flatMap(([first]) => (first?.symbol_id ? [{ id: first.symbol_id, name: first.qualified ?? '' }] : []))
      .slice(0, maxFollowedSymbols)
    for (const { id, name } of symbols) {
      if (result.calls >= maxCalls) break
      result.calls += 1
      const { edges, total } = await code.graph(id, 'call', edgesPerSymbol, signal)
      result.related.push(...edges.flatMap((edge) => relatedTo(name, edge)))
      if (edges.length < total)
        result.notes.push(
          `Showing ${edges.length} of ${plural(total, 'call')} from and to ${name}; symbol_graph lists more.`,
        )
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!signal.aborted) throw error
    result.timedOut = true
  }
  return result
}

/** Returns a finding for the passages of a file, or none if the file no longer exists. */
async function findingOf(
  passages: readonly RankedPassage[],
  words: QueryWords,
  { documents }: ToolContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const [first] = passages
  if (!first) return []
  let lines: string[]
  try {
    lines = (await documents.read(first.path, signal)).text.split('\n')
  } catch (error) {
    if (toFailure(error).code === 'not_found') return []
    throw error
  }
  const evidence = new Map<number, Evidence>()
  for (const passage of passages) {
    const at = passage.symbol_line !== null && passage.symbol_line >= passage.line ? passage.symbol_line : passage.line
    for (const { line, text } of [
      { line: at, text: truncateLine(lines[at - 1] ?? '') },
      ...relevantLines(lines, passage.line, passage.end_line, words, 2),
    ]) {
      if (text !== '') evidence.set(line, { path: first.path, line, text })
    }
  }
  if (evidence.size === 0) return []
  const others = [
    ...new Set(
      passages.flatMap(({ qualified }) => (qualified === null || qualified === first.qualified ? [] : [qualified])),
    ),
  ]
  return [
    {
      title: first.qualified === null ? first.path : `${first.kind} ${first.qualified} in ${first.path}`,
      detail: [first.doc ?? '', others.length === 0 ? '' : `See also: ${others.join(', ')}.`]
        .filter((part) => part !== '')
        .join(' '),
      confidence: first.coverage >= 0.6 ? 'high' : first.coverage >= 0.3 ? 'medium' : 'low',
      evidence: [...evidence.values()],
    },
  ]
}

function relatedTo(of: string, { direction, symbol, path, line, resolved }: Edge): RelatedSymbol[] {
  // A call into a library, or from the top level of a file, has no symbol.
  if (!symbol) return []
  return [
    {
      relation: direction === 'incoming' ? 'called by' : 'calls',
      symbol: symbol.qualified,
      of,
      path,
      line,
      match: resolved ? 'resolved' : 'name',
    },
  ]
}

/**
 * Maximum characters of a passage to rank. Many embedding models read at most 512 tokens, and servers reject longer
 * texts.
 */
const maxCharacters = 800

interface OrderDeps extends Pick<ToolContext, 'documents'> {
  rank: RankByMeaning
}

/** Reorders passages by meaning. Keeps the search order if the model is late or fails. */
async function orderByMeaning(
  question: string,
  passages: readonly RankedPassage[],
  { documents, rank }: OrderDeps,
  signal: AbortSignal,
): Promise<readonly RankedPassage[]> {
  const files = new Map<string, Promise<string[]>>()
  const linesOf = (path: string): Promise<string[]> => {
    const lines = files.get(path) ?? read(path)
    files.set(path, lines)
    return lines
  }
  async function read(path: string): Promise<string[]> {
    try {
      return (await documents.read(path, signal)).text.split('\n')
    } catch (error) {
      if (toFailure(error).code === 'not_found') return []
      throw error
    }
  }
  const scored = await Promise.all(
    passages.map(async ({ path, line, end_line, qualified, score }) => {
      const lines = (await linesOf(path)).slice(line - 1, end_line)
      return { text: [path, qualified ?? '', ...lines].join('\n').slice(0, maxCharacters), score }
    }),
  )
  const order = await rank(question, scored, signal)
  return order?.flatMap((at) => passages[at] ?? []) ?? passages
}
