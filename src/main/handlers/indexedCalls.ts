import type { CallDirection, CallHierarchy, CallHierarchyItem } from '../../shared/language/codeNavigation.ts'
import type { CodeIndex, Edge, SymbolRow, TextPlace } from '../code/index/codeIndex.ts'

/** Maximum calls that are read from the index. */
const maxCalls = 1000

const functionKinds: ReadonlySet<string> = new Set(['function', 'method', 'class', 'struct', 'impl'])

/** Callers or callees from the index, where no language server answers; null if there is no function at the place. */
export async function indexedCalls(
  code: Pick<CodeIndex, 'definition' | 'outline' | 'graph'>,
  place: TextPlace,
  direction: CallDirection,
  signal: AbortSignal,
): Promise<CallHierarchy | null> {
  const symbol = await functionAt(code, place, signal)
  if (!symbol) return null
  const { edges, total } = await code.graph(symbol.symbol_id, 'call', maxCalls, signal)
  const calls = new Map<string, CallHierarchy['calls'][number]>()
  for (const edge of edges) {
    const item = edge.direction === direction ? otherEnd(edge) : null
    if (!item) continue
    const key = `${item.path} ${item.range.startLine} ${item.name}`
    const known = calls.get(key) ?? { item, ranges: [], certain: edge.resolved }
    const { line, column, text } = edge
    known.ranges.push({ startLine: line, startColumn: column, endLine: line, endColumn: column + text.length })
    calls.set(key, known)
  }
  return { item: itemOf(symbol), calls: [...calls.values()], more: total - edges.length }
}

/** The function whose name is at a place, otherwise the innermost one around it. */
async function functionAt(
  code: Pick<CodeIndex, 'definition' | 'outline'>,
  place: TextPlace,
  signal: AbortSignal,
): Promise<SymbolRow | undefined> {
  const found = await code.definition(place, signal)
  const named = found?.targets.find(({ kind }) => functionKinds.has(kind))
  if (named) return named
  const { symbols } = await code.outline(place.path, signal)
  return symbols.findLast(
    ({ kind, line, end_line }) => functionKinds.has(kind) && line <= place.line && place.line <= end_line,
  )
}

function itemOf({ name, kind, qualified, path, name_line: line, name_column: column }: SymbolRow): CallHierarchyItem {
  return {
    name,
    kind,
    detail: qualified.slice(0, Math.max(0, qualified.length - name.length - 1)),
    path,
    range: { startLine: line, startColumn: column, endLine: line, endColumn: column + name.length },
  }
}

/** The function at the other end of a call. Calls at the top level of a file belong to the file. */
function otherEnd({ symbol, direction, path }: Edge): CallHierarchyItem | null {
  if (symbol) return itemOf(symbol)
  if (direction === 'outgoing') return null
  return {
    name: path,
    kind: 'module',
    detail: '',
    path,
    range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
  }
}
