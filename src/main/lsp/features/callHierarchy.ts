import type * as lsp from 'vscode-languageserver-protocol'
import type { CallHierarchy, CallHierarchyItem, CallDirection } from '../../../shared/language/codeNavigation.ts'
import { absolutePathOf } from '../uris.ts'
import type { DocumentServer, QueryServers, FilePosition } from './featureServer.ts'
import { oneLine, symbolKindOf } from './symbols.ts'

/** Maximum functions in a result, and calls of each. */
const maxFunctions = 500
const maxCalls = 100

interface Call {
  other: lsp.CallHierarchyItem
  fromRanges: lsp.Range[]
  /** File that contains the ranges. */
  rangesIn: string
}

/** Callers and callees from language servers. Undefined if no server has the feature; null if there is no function. */
export function createCallHierarchy(query: QueryServers) {
  return {
    callHierarchy: (
      place: FilePosition,
      direction: CallDirection,
      signal?: AbortSignal,
    ): Promise<CallHierarchy | null | undefined> =>
      query(
        place.path,
        'textDocument/prepareCallHierarchy',
        async (answering) => {
          const { uri, codec, lines } = answering
          const [item] =
            (await answering.request('textDocument/prepareCallHierarchy', {
              textDocument: { uri },
              position: codec.toServer(lines, place),
            })) ?? []
          const shown = item && (await itemOf(answering, item))
          if (!item || !shown) return null
          const found = await callsOf(answering, item, direction)
          const calls = await Promise.all(
            found.slice(0, maxFunctions).map(async (call) => {
              const other = await itemOf(answering, call.other)
              return other && { item: other, certain: true, ...(await rangesOf(answering, call)) }
            }),
          )
          return {
            item: shown,
            calls: calls.filter((call) => call !== null),
            more: Math.max(0, found.length - maxFunctions),
          }
        },
        { signal },
      ),
  }
}

async function callsOf(
  answering: DocumentServer,
  item: lsp.CallHierarchyItem,
  direction: CallDirection,
): Promise<readonly Call[]> {
  if (direction === 'incoming') {
    const found = (await answering.request('callHierarchy/incomingCalls', { item })) ?? []
    return found.map(({ from, fromRanges }) => ({ other: from, fromRanges, rangesIn: from.uri }))
  }
  const found = (await answering.request('callHierarchy/outgoingCalls', { item })) ?? []
  return found.map(({ to, fromRanges }) => ({ other: to, fromRanges, rangesIn: item.uri }))
}

async function rangesOf({ pathOf, linesOf, codec }: DocumentServer, { fromRanges, rangesIn }: Call) {
  const path = pathOf(rangesIn)
  const lines = path === null ? null : await linesOf(path)
  // TypeScript reports a method call twice.
  const ranges = new Map(
    fromRanges.slice(0, maxCalls).map((each) => {
      const range = codec.rangeFromServer(lines, each)
      return [`${range.startLine}:${range.startColumn}`, range]
    }),
  )
  return { ranges: [...ranges.values()] }
}

/** `SymbolKind.File` of the protocol. */
const fileKind = 1

/** Null for files that are neither in the workspace nor in a library. */
async function itemOf(answering: DocumentServer, item: lsp.CallHierarchyItem): Promise<CallHierarchyItem | null> {
  const { pathOf, linesOf, codec, libraryOf } = answering
  const path = pathOf(item.uri)
  const library = path === null ? await libraryOf(item.uri) : null
  if (path === null && library === null) return null
  // Calls outside functions belong to the file, which TypeScript names by its full path.
  const isFile = item.kind === fileKind || item.name === absolutePathOf(item.uri)
  return {
    name: isFile ? (path ?? library?.path ?? '') : oneLine(item.name),
    kind: symbolKindOf(item.kind),
    detail: oneLine(item.detail),
    path: path ?? library?.path ?? '',
    range: codec.rangeFromServer(path === null ? null : await linesOf(path), item.selectionRange),
    ...(library && { library: library.id }),
  }
}
