import { monaco } from '../platform/editor/monaco/monaco.ts'

/**
 * Uses Monaco's TypeScript for what the code index lacks: names that are local to a file (parameters, local variables)
 * and types of expressions. It knows only the open file, so the index handles all other files.
 */

/** Whether Monaco's TypeScript worker supports the language of a model. */
export function isTypeScriptModel(model: monaco.editor.ITextModel): boolean {
  return ['typescript', 'javascript'].includes(model.getLanguageId())
}

async function workerFor(model: monaco.editor.ITextModel) {
  const { getTypeScriptWorker, getJavaScriptWorker } = monaco.typescript
  try {
    const workers = await (model.getLanguageId() === 'typescript' ? getTypeScriptWorker() : getJavaScriptWorker())
    return await workers(model.uri)
  } catch (error) {
    // The worker registers with the first file of its language. Until then, only the index responds.
    if (typeof error === 'string' && error.includes('not registered')) return null
    throw error
  }
}

function rangeOf(model: monaco.editor.ITextModel, span: { start: number; length: number }): monaco.Range {
  return monaco.Range.fromPositions(model.getPositionAt(span.start), model.getPositionAt(span.start + span.length))
}

/** The parts of TypeScript's results that we use. Monaco does not export their types. */
interface Span {
  fileName: string
  textSpan: { start: number; length: number }
}
interface RenameSpan extends Span {
  /** Text that a shorthand property needs before its new name, for example `name: `. */
  prefixText?: string
  suffixText?: string
}
interface QuickInfo {
  textSpan: { start: number; length: number }
  displayParts?: { text: string }[]
  documentation?: { text: string }[]
}

function ownRanges(model: monaco.editor.ITextModel, spans: readonly Span[] | undefined): monaco.Range[] {
  if (model.isDisposed()) return []
  return (spans ?? []).flatMap(({ fileName, textSpan }) =>
    fileName === model.uri.toString() ? [rangeOf(model, textSpan)] : [],
  )
}

/** Ranges of the definitions in the same file. */
export async function localDefinitions(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
): Promise<monaco.Range[]> {
  const worker = await workerFor(model)
  const found = await worker?.getDefinitionAtPosition(model.uri.toString(), model.getOffsetAt(position))
  return ownRanges(model, found as readonly Span[] | undefined) // See Span.
}

/** Ranges of the references in the same file. */
export async function localReferences(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
): Promise<monaco.Range[]> {
  const worker = await workerFor(model)
  const found = await worker?.getReferencesAtPosition(model.uri.toString(), model.getOffsetAt(position))
  return ownRanges(model, found as readonly Span[] | undefined) // See Span.
}

/** Edits that rename a file-local name; none if TypeScript cannot rename it. */
export async function localRenameEdits(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
  newName: string,
): Promise<monaco.languages.TextEdit[]> {
  const worker = await workerFor(model)
  const found = await worker?.findRenameLocations(
    model.uri.toString(),
    model.getOffsetAt(position),
    false,
    false,
    false,
  )
  const places = (found ?? []) as readonly RenameSpan[] // See RenameSpan.
  if (model.isDisposed() || places.some(({ fileName }) => fileName !== model.uri.toString())) return []
  return places.map(({ textSpan, prefixText = '', suffixText = '' }) => ({
    range: rangeOf(model, textSpan),
    text: prefixText + newName + suffixText,
  }))
}

/** Hover with type and documentation at a position. */
export async function localHover(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
): Promise<monaco.languages.Hover | null> {
  const worker = await workerFor(model)
  const found = await worker?.getQuickInfoAtPosition(model.uri.toString(), model.getOffsetAt(position))
  const info = found as QuickInfo | undefined // See QuickInfo.
  if (!info || model.isDisposed()) return null
  const text = (parts: { text: string }[] | undefined) => (parts ?? []).map((part) => part.text).join('')
  return {
    range: rangeOf(model, info.textSpan),
    contents: [`\`\`\`typescript\n${text(info.displayParts)}\n\`\`\``, text(info.documentation)]
      .filter((value) => value !== '')
      .map((value) => ({ value })),
  }
}
