import type { CodeDefinitions, CodeLocation, OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { monaco, pathOf, uriOf } from '../platform/editor/monaco/monaco.ts'
import { libraryIdOf, libraryModel, libraryUri, openLibraryModel } from '../platform/editor/documents/libraryFiles.ts'
import { notifyFailure } from '../platform/notices.ts'
import { requestCode, outlineOf } from './codeRequests.ts'
import { hoverText } from './hoverText.ts'
import { followPeekViews, provideModels } from './lookupModels.ts'
import { sameNameNote } from './sameNameMatches.ts'
import { renameProvider } from './renameCommand.ts'
import { isTypeScriptModel, localDefinitions, localHover, localReferences } from './typescriptWorker.ts'
import { once } from '../../shared/async/once.ts'

type Model = monaco.editor.ITextModel

/** Selects workspace files. The index does not contain diffs and other models. */
const files: monaco.languages.LanguageFilter = { scheme: 'file' }

const symbolKinds: Record<string, monaco.languages.SymbolKind> = {
  function: monaco.languages.SymbolKind.Function,
  method: monaco.languages.SymbolKind.Method,
  class: monaco.languages.SymbolKind.Class,
  impl: monaco.languages.SymbolKind.Class,
  struct: monaco.languages.SymbolKind.Struct,
  interface: monaco.languages.SymbolKind.Interface,
  trait: monaco.languages.SymbolKind.Interface,
  type: monaco.languages.SymbolKind.TypeParameter,
  enum: monaco.languages.SymbolKind.Enum,
  enum_member: monaco.languages.SymbolKind.EnumMember,
  constant: monaco.languages.SymbolKind.Constant,
  property: monaco.languages.SymbolKind.Property,
  module: monaco.languages.SymbolKind.Module,
  namespace: monaco.languages.SymbolKind.Namespace,
}

function codePosition(
  model: Model,
  { lineNumber, column }: monaco.Position,
): { path: string; line: number; column: number } {
  return { path: pathOf(model.uri) ?? '', line: lineNumber, column }
}

/** Returns null and shows a notice if a request failed, because Monaco would only log the failure. */
async function orNull<T>(answer: Promise<T>, token: monaco.CancellationToken): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (!token.isCancellationRequested) notifyFailure(error, 'The code index did not respond')
    return null
  }
}

/**
 * Converts a location to Monaco's. Some imports are indexed by their start, so this searches the rest of the line for
 * the name.
 */
function locationOf({ path, line, column, name }: CodeLocation): monaco.languages.Location {
  const uri = uriOf(path)
  const text = monaco.editor.getModel(uri)?.getLinesContent()[line - 1] ?? ''
  const nameStart = text.startsWith(name, column - 1)
    ? column - 1
    : Math.max(text.indexOf(name, column - 1), column - 1)
  return { uri, range: new monaco.Range(line, nameStart + 1, line, nameStart + 1 + name.length) }
}

const definitions: monaco.languages.DefinitionProvider = {
  async provideDefinition(model, position, token) {
    const found = await orNull(requestCode('code.definition', codePosition(model, position)), token)
    if (token.isCancellationRequested || model.isDisposed()) return null
    if (!found?.resolved && isTypeScriptModel(model)) {
      const local = await localDefinitions(model, position)
      if (local.length > 0) return local.map((range) => ({ uri: model.uri, range }))
    }
    if (!found) return null
    await provideModels(found.places.map(({ path }) => path))
    sameNameNote.answered(found)
    return [...found.places.map(locationOf), ...(await libraryLocations(found))]
  },
}

/**
 * Locations in libraries outside the folder. If all definitions are elsewhere outside, the status bar names the first
 * one.
 */
async function libraryLocations({
  places,
  libraries = [],
  outside = [],
}: CodeDefinitions): Promise<monaco.languages.Location[]> {
  const [first] = outside
  if (places.length + libraries.length === 0 && first !== undefined) {
    sameNameNote.outside(first)
    return []
  }
  return Promise.all(
    libraries.map(async ({ id, path, range }) => {
      // An unreadable file has no preview. Its tab shows the reason.
      await libraryModel(id).catch(() => undefined)
      const { startLine, startColumn, endLine, endColumn } = range
      return { uri: libraryUri({ id, path }), range: new monaco.Range(startLine, startColumn, endLine, endColumn) }
    }),
  )
}

const references: monaco.languages.ReferenceProvider = {
  async provideReferences(model, position, { includeDeclaration }, token) {
    const found = await orNull(requestCode('code.references', codePosition(model, position)), token)
    if (token.isCancellationRequested || model.isDisposed()) return null
    if (!found?.places.some(({ resolved }) => resolved) && isTypeScriptModel(model)) {
      const local = await localReferences(model, position)
      if (local.length > 0) return local.map((range) => ({ uri: model.uri, range }))
    }
    if (!found) return null
    const places = found.places.filter(({ definition }) => includeDeclaration || !definition)
    await provideModels(places.map(({ path }) => path))
    sameNameNote.ofReferences(places, found.total)
    return places.map(locationOf)
  },
}

const hovers: monaco.languages.HoverProvider = {
  async provideHover(model, position, token) {
    // The user did not explicitly request the hover, so do not report its failure.
    const found = await requestCode('code.hover', codePosition(model, position)).catch(() => null)
    if (token.isCancellationRequested || model.isDisposed()) return null
    if (!found?.resolved && isTypeScriptModel(model)) {
      const local = await localHover(model, position)
      if (local) return local
    }
    if (!found) return null
    const { lineNumber } = position
    const range = new monaco.Range(lineNumber, found.column, lineNumber, found.column + found.name.length)
    return { range, contents: hoverText(found, model.getLanguageId()).map((value) => ({ value })) }
  },
}

/** Pure: converts a flat outline to Monaco's tree. */
function symbolTree(symbols: readonly OutlineSymbol[]): monaco.languages.DocumentSymbol[] {
  const roots: monaco.languages.DocumentSymbol[] = []
  const nodes: monaco.languages.DocumentSymbol[] = []
  for (const { kind, name, parent, line, column, endLine, endColumn, nameLine, nameColumn } of symbols) {
    const range = new monaco.Range(line, column, endLine, endColumn)
    const nameRange = new monaco.Range(nameLine, nameColumn, nameLine, nameColumn + name.length)
    const node = {
      name: name === '' ? '…' : name,
      detail: '',
      kind: symbolKinds[kind] ?? monaco.languages.SymbolKind.Variable,
      tags: [],
      range,
      // Monaco rejects a name range outside the symbol's range.
      selectionRange: monaco.Range.intersectRanges(range, nameRange) ?? range,
      children: [],
    } satisfies monaco.languages.DocumentSymbol
    nodes.push(node)
    const parentNode = parent === null ? undefined : nodes[parent]
    ;(parentNode?.children ?? roots).push(node)
  }
  return roots
}

const outlines: monaco.languages.DocumentSymbolProvider = {
  displayName: 'Tizona',
  async provideDocumentSymbols(model) {
    // For sticky scroll. The outline view reports failures.
    const outline = await outlineOf(pathOf(model.uri) ?? '').catch(() => null)
    return outline && symbolTree(outline.symbols)
  },
}

/** Turns off features of Monaco's own language services that the code index provides. */
function turnOffBuiltIn(): void {
  const { typescriptDefaults, javascriptDefaults } = monaco.typescript
  for (const defaults of [typescriptDefaults, javascriptDefaults]) {
    const off = { definitions: false, references: false, hovers: false, documentSymbols: false, rename: false }
    defaults.setModeConfiguration({ ...defaults.modeConfiguration, ...off })
  }
  const { cssDefaults, scssDefaults, lessDefaults } = monaco.css
  for (const defaults of [cssDefaults, scssDefaults, lessDefaults, monaco.json.jsonDefaults]) {
    // Their rename changes the open file only.
    defaults.setModeConfiguration({
      ...defaults.modeConfiguration,
      documentSymbols: false,
      ...('rename' in defaults.modeConfiguration ? { rename: false } : {}),
    })
  }
}

/**
 * Registers the code index as Monaco's symbol provider. Monaco's TypeScript only adds names that are local to a file.
 */
export const registerSymbolProviders = once((): void => {
  turnOffBuiltIn()
  const { languages } = monaco
  languages.registerDefinitionProvider(files, definitions)
  languages.registerReferenceProvider(files, references)
  languages.registerHoverProvider(files, hovers)
  languages.registerRenameProvider(files, renameProvider)
  languages.registerDocumentSymbolProvider(files, outlines)
  monaco.editor.registerEditorOpener({
    openCodeEditor(_source, resource, target) {
      const path = pathOf(resource)
      const start = target && ('startLineNumber' in target ? monaco.Range.getStartPosition(target) : target)
      const position = start && { line: start.lineNumber, column: start.column }
      if (libraryIdOf(resource) !== null) {
        openLibraryModel(resource, position ?? { line: 1, column: 1 })
        return true
      }
      if (path === null) return false
      sameNameNote.opened()
      return openFile(path, position, { preview: true }).then(() => true)
    },
  })
  followPeekViews()
})
