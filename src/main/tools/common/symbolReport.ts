import { ToolError } from '../../../shared/errors.ts'
import type { SymbolLine } from '../../../shared/tool.ts'
import { withIndexProgress } from '../../../shared/indexProgress.ts'
import { plural } from '../../../shared/plural.ts'
import type { CodeIndex, IndexStatus, SymbolRow, SymbolSelector } from '../../code/index/codeIndex.ts'

/** Returns the fields of a symbol for a model. Lines are 1-based and inclusive. */
export function symbolFields(row: SymbolRow): Record<string, unknown> {
  const { symbol_id, kind, name, qualified, path, line, end_line, signature } = row
  return {
    symbol_id,
    kind,
    name,
    ...(qualified === name ? {} : { qualified_name: qualified }),
    path,
    line,
    end_line,
    signature,
  }
}

/** Returns a symbol for the list in the panel. */
export function symbolLine(
  { path, line, kind, name, signature }: SymbolRow,
  more: Partial<SymbolLine> = {},
): SymbolLine {
  return { path, line, kind, name, signature, depth: 0, ...more }
}

/**
 * Reports the progress of an index whose symbols are incomplete. Empty if they are complete.
 * @param coverage what the result contains although the index is incomplete
 */
export function indexNote(
  status: IndexStatus,
  coverage = 'Files that mention the name were read directly; others may be missing',
): { index?: string } {
  return status.state === 'symbols' ? progressNote(status, coverage) : {}
}

/** The same for a search by words, which are indexed after all symbols. */
export function wordIndexNote(status: IndexStatus): { index?: string } {
  if (status.state === 'ready') return {}
  return progressNote(status, 'Files that mention the words were read directly; others may be missing')
}

function progressNote(status: IndexStatus, coverage: string): { index: string } {
  const progress = withIndexProgress('The index is still being built', status)
  return { index: `${progress}. ${coverage}, so retry in a moment if something is missing.` }
}

/**
 * Returns the only symbol that matches a selector.
 * @throws ToolError invalid_arguments for an incomplete selector, not_found, ambiguous_match with the ids of the
 *   candidates
 */
export async function oneSymbol(code: CodeIndex, selector: SymbolSelector, signal: AbortSignal): Promise<SymbolRow> {
  const { id, path, qualifiedName, name } = selector
  if (id === undefined && (path === undefined || (qualifiedName === undefined && name === undefined))) {
    throw new ToolError(
      'invalid_arguments',
      'No symbol was passed.',
      'Pass `symbol_id`, or `path` together with `qualified_name` or `name`.',
    )
  }
  const found = await code.select(selector, signal)
  const [first] = found
  if (!first) throw await notFound(code, selector, signal)
  if (found.length === 1) return first
  const shown = found.slice(0, 20).map((row) => `${row.symbol_id} (line ${row.line}: ${row.signature})`)
  throw new ToolError(
    'ambiguous_match',
    `${plural(found.length, 'symbol')} in ${first.path} have this name:\n${shown.join('\n')}`,
    'Call again with one of these ids as `symbol_id`.',
  )
}

async function notFound(
  code: CodeIndex,
  { id, path, qualifiedName, name }: SymbolSelector,
  signal: AbortSignal,
): Promise<ToolError> {
  const [file, rest = ''] = id?.split('::') ?? [path, qualifiedName ?? name]
  const last = rest.replace(/#.*$/, '').split('.').at(-1) ?? ''
  const near = last === '' ? [] : (await code.search({ query: last, limit: 5 }, signal)).map((row) => row.symbol_id)
  const similar = near.length === 0 ? '' : ` Symbols with a similar name: ${near.join(', ')}.`
  return new ToolError(
    'not_found',
    `Symbol "${id ?? rest}" not found${id === undefined ? ` in ${file}` : ''}.${similar}`,
    'List the symbols of the file with symbol_outline, or search with symbol_search.',
  )
}
