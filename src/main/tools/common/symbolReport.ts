import { ToolError } from '../../../shared/errors.ts'
import type { SymbolLine } from '../../../shared/tools/tool.ts'
import { withIndexProgress } from '../../../shared/language/indexProgress.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { CodeIndex, IndexStatus, SymbolRow, SymbolSelector } from '../../code/codeIndex.ts'

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
 * Reports the progress of an incomplete index. Empty if all symbols are indexed.
 * @param coverage describes the coverage of the result in a sentence
 */
export function indexNote(
  status: IndexStatus,
  coverage = 'Files that mention the name were read directly, but others may be missing.',
): { index?: string } {
  return status.state === 'symbols' ? progressNote(status, coverage) : {}
}

/** Like `indexNote`, for a search by words, which are indexed after all symbols. */
export function wordIndexNote(status: IndexStatus): { index?: string } {
  if (status.state === 'ready') return {}
  return progressNote(status, 'Files that mention the words were read directly, but others may be missing.')
}

function progressNote(status: IndexStatus, coverage: string): { index: string } {
  const progress = withIndexProgress('The index is still being built', status)
  return { index: `${progress}. ${coverage} Retry in a moment for a complete result.` }
}

/** Keywords of a declaration and its modifiers before a name. */
const declaration =
  /^(?:(?:pub(?:\([^)]*\))?|public|private|protected|internal|static|export|default|async|abstract|final|const|unsafe|extern|override|fn|func|fun|function|def|class|struct|interface|trait|enum|type|impl|mod|module|namespace|let|var|val|method|object|record|macro_rules!)\s+)+/

/** Returns the name in a declaration: `x` for `pub fn x(a: u8) -> u8 {`. Returns a plain name unchanged. */
export function declaredName(text: string): string {
  const name = text.trim().replace(declaration, '')
  return (/^[\w$.:#/<>~-]+/.exec(name)?.[0] ?? name).replace(/(?<![.:])[.:]+$/, '').replace(/<.*$/s, '') || text
}

/**
 * Returns the only symbol that matches a selector. A name without a file is searched in the whole workspace.
 * @throws ToolError invalid_arguments for an incomplete selector, not_found, ambiguous_match with the ids of the
 *   candidates
 */
export async function findOneSymbol(
  code: CodeIndex,
  selector: SymbolSelector,
  signal: AbortSignal,
): Promise<SymbolRow> {
  const { id, path } = selector
  const named = selector.qualifiedName ?? selector.name ?? (id?.includes('::') ? undefined : id)
  if (id === undefined && named === undefined) {
    throw new ToolError(
      'invalid_arguments',
      'No symbol was passed.',
      'Pass `symbol_id`, or `qualified_name` or `name`, with `path` if the name is not unique.',
    )
  }
  const found = await select(code, selector, named, signal)
  const [first] = found
  if (!first) throw await notFound(code, selector, signal)
  if (found.length === 1) return first
  const shown = found.slice(0, 20).map((row) => `${row.symbol_id} (line ${row.line}: ${row.signature})`)
  throw new ToolError(
    'ambiguous_match',
    `${plural(found.length, 'symbol')}${path === undefined ? '' : ` in ${first.path}`} have this name:\n${shown.join('\n')}`,
    'Call again with one of these ids as `symbol_id`.',
  )
}

async function select(
  code: CodeIndex,
  selector: SymbolSelector,
  named: string | undefined,
  signal: AbortSignal,
): Promise<SymbolRow[]> {
  const { path, id, qualifiedName, name } = selector
  if (path !== undefined || id?.includes('::')) {
    const found = await code.select(selector, signal)
    if (found.length > 0 || named === undefined || path === undefined) return found
    const [plainQualified, plain] = [qualifiedName, name].map((one) => one && declaredName(one))
    return code.select({ path, qualifiedName: plainQualified, name: plain }, signal)
  }
  const wanted = declaredName(named ?? '').replaceAll(/::|#/g, '.')
  const rows = await code.search({ query: wanted, limit: 100 }, signal)
  return rows.filter(
    ({ name: own, qualified, kind }) =>
      kind !== 'import' &&
      kind !== 'export' &&
      (own === wanted || qualified === wanted || qualified.endsWith(`.${wanted}`)),
  )
}

async function notFound(
  code: CodeIndex,
  { id, path, qualifiedName, name }: SymbolSelector,
  signal: AbortSignal,
): Promise<ToolError> {
  const [file, rest = ''] = id?.includes('::') ? id.split('::') : [path, qualifiedName ?? name ?? id]
  const last = rest.replace(/#.*$/, '').split('.').at(-1) ?? ''
  const near = last === '' ? [] : (await code.search({ query: last, limit: 5 }, signal)).map((row) => row.symbol_id)
  const similar = near.length === 0 ? '' : ` Symbols with a similar name: ${near.join(', ')}.`
  return new ToolError(
    'not_found',
    `Symbol "${id ?? rest}" not found${id === undefined && file !== undefined ? ` in ${file}` : ''}.${similar}`,
    'List the symbols of the file with symbol_outline, or search with symbol_search.',
  )
}
