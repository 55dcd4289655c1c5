import { ToolError } from '../../../shared/errors.ts'
import type { SymbolLine } from '../../../shared/tool.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import type { CodeIndex, IndexStatus, SymbolRow, SymbolSelector } from '../../code/index/codeIndex.ts'

/** A symbol as a model sees it. Lines are 1-based and inclusive. */
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

/** A symbol as the panel lists it. */
export function symbolLine(
  { path, line, kind, name, signature }: SymbolRow,
  more: Partial<SymbolLine> = {},
): SymbolLine {
  return { path, line, kind, name, signature, depth: 0, ...more }
}

/**
 * Says how far the index is while it is not complete; nothing once it is.
 * @param direct what the answer holds all the same
 */
export function indexNote(
  { state, done, total }: IndexStatus,
  direct = 'Files that mention the name were read directly; others may be missing',
): { index?: string } {
  if (state === 'ready') return {}
  return {
    index: `The index is still being built: ${formatNumber(done)} of ${plural(total, 'file')}. ${direct}, so ask again in a moment if something is missing.`,
  }
}

/**
 * The one symbol that is meant. Throws `invalid_arguments` without a usable selector, `not_found`, and `ambiguous_match` with the
 * candidates' ids.
 */
export async function oneSymbol(code: CodeIndex, selector: SymbolSelector, signal: AbortSignal): Promise<SymbolRow> {
  const { id, path, qualifiedName, name } = selector
  if (id === undefined && (path === undefined || (qualifiedName === undefined && name === undefined))) {
    throw new ToolError(
      'invalid_arguments',
      'No symbol is named.',
      'Give `symbol_id`, or `path` together with `qualified_name` or `name`.',
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
    'Call again with the `symbol_id` of the one you mean.',
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
    `There is no symbol "${id ?? rest}"${id === undefined ? ` in ${file}` : ''}.${similar}`,
    'Look at the file with symbol_outline, or find the symbol with symbol_search.',
  )
}
