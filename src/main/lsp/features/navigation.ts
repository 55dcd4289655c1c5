import type { Location, LocationLink, Range } from 'vscode-languageserver-protocol'
import type {
  CodeDefinitions,
  CodeHover,
  CodeLocation,
  CodeReferences,
  LibraryLocation,
} from '../../../shared/language/codeNavigation.ts'
import { absolutePathOf } from '../uris.ts'
import { markdownOf, type DocumentServer, type QueryServers, type FilePosition } from './featureServer.ts'

/** Maximum number of locations in a result whose text is read. */
const maxPlaces = 5000
const wordAt = /[\p{L}\p{N}_$]+/gu

/** Returns the name around a column, and where it starts. */
function nameAt(line: string, column: number): { name: string; column: number } {
  for (const match of line.matchAll(wordAt))
    if (match.index < column && column <= match.index + match[0].length + 1)
      return { name: match[0], column: match.index + 1 }
  return { name: '', column }
}

/** Maximum number of definitions outside the workspace. */
const maxLibraryPlaces = 20

/** Returns locations in libraries outside the workspace, and the paths of other files there, which are not shown. */
async function placesOutside(
  { pathOf, libraryOf, codec }: DocumentServer,
  found: readonly { uri: string; range: Range }[],
): Promise<{ libraries: LibraryLocation[]; outside: string[] }> {
  const libraries: LibraryLocation[] = []
  const outside = new Set<string>()
  for (const { uri, range } of found.filter((each) => pathOf(each.uri) === null).slice(0, maxLibraryPlaces)) {
    const file = await libraryOf(uri)
    const absolute = absolutePathOf(uri)
    // The text is not read here. Positions are exact in UTF-16, which nearly all servers use.
    if (file) libraries.push({ ...file, range: codec.rangeFromServer(null, range) })
    else if (absolute !== null) outside.add(absolute)
  }
  return { libraries, outside: [...outside] }
}

/** Converts a server's locations. Drops those outside the workspace. */
async function locations(
  { pathOf, codec, linesOf }: DocumentServer,
  found: readonly { uri: string; range: Range }[],
): Promise<CodeLocation[]> {
  const places: CodeLocation[] = []
  for (const { uri, range } of found.slice(0, maxPlaces)) {
    const path = pathOf(uri)
    if (path === null) continue
    const lines = await linesOf(path)
    const { startLine, startColumn, endLine, endColumn } = codec.rangeFromServer(lines, range)
    const name = lines && startLine === endLine ? lines.line(startLine - 1).slice(startColumn - 1, endColumn - 1) : ''
    places.push({ path, line: startLine, column: startColumn, name })
  }
  return places
}

function placeParams({ uri, codec, lines }: DocumentServer, place: FilePosition) {
  return { textDocument: { uri }, position: codec.toServer(lines, place) }
}

/** Definition, references and hover from language servers. Undefined if no server handles the file. */
export function createNavigation(query: QueryServers) {
  return {
    definition: (place: FilePosition, signal?: AbortSignal): Promise<CodeDefinitions | null | undefined> =>
      query(
        place.path,
        'textDocument/definition',
        async (answering) => {
          const found = await answering.request('textDocument/definition', placeParams(answering, place))
          const list: readonly (Location | LocationLink)[] =
            found === null ? [] : Array.isArray(found) ? found : [found]
          const targets = list.map((each) =>
            'targetUri' in each ? { uri: each.targetUri, range: each.targetSelectionRange } : each,
          )
          const places = await locations(answering, targets)
          const { libraries, outside } = await placesOutside(answering, targets)
          if (places.length + libraries.length + outside.length === 0) return null
          return {
            places,
            libraries,
            outside,
            resolved: true,
            ...nameAt(answering.lines.line(place.line - 1), place.column),
          }
        },
        { signal, latest: 'definition' },
      ),

    references: (
      place: FilePosition,
      limit: number,
      signal?: AbortSignal,
    ): Promise<CodeReferences | null | undefined> =>
      query(
        place.path,
        'textDocument/references',
        async (answering) => {
          const params = { ...placeParams(answering, place), context: { includeDeclaration: true } }
          const found = (await answering.request('textDocument/references', params)) ?? []
          const places = await locations(answering, found)
          if (places.length === 0) return null
          return {
            places: places.slice(0, limit).map((each) => ({ ...each, resolved: true, definition: false })),
            total: places.length,
          }
        },
        { signal, wholeProject: true },
      ),

    hover: (place: FilePosition, signal?: AbortSignal): Promise<CodeHover | null | undefined> =>
      query(
        place.path,
        'textDocument/hover',
        async (answering) => {
          const found = await answering.request('textDocument/hover', placeParams(answering, place))
          const text = markdownOf(found?.contents).trim()
          if (found === null || text === '') return null
          const { lines, codec } = answering
          const word = nameAt(lines.line(place.line - 1), place.column)
          const range = found.range && codec.rangeFromServer(lines, found.range)
          const oneLine = range?.startLine === place.line && range.endLine === place.line ? range : undefined
          return {
            symbols: [],
            markdown: [text],
            resolved: true,
            name: oneLine
              ? lines.line(place.line - 1).slice(oneLine.startColumn - 1, oneLine.endColumn - 1)
              : word.name,
            column: oneLine?.startColumn ?? word.column,
          }
        },
        { signal, latest: 'hover' },
      ),
  }
}
