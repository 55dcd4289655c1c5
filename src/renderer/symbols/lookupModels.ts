import { isAbort, toFailure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco, pathOf, uriOf } from '../platform/editor/monaco/monaco.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'

/**
 * Read-only Monaco models of files without a tab, by path, for peek views and link previews. Kept while a peek view is
 * open; otherwise only the latest few are kept.
 */
const models = new Map<string, monaco.editor.ITextModel>()
const maxKeptModels = 10
/** Maximum number of files to load per request. A peek view shows the others as unavailable. */
const maxFilesPerRequest = 200
const maxConcurrentReads = 8

function isPeekViewOpen(): boolean {
  return document.querySelector('.peekview-widget') !== null
}

function disposeUnused(kept: number): void {
  if (isPeekViewOpen()) return
  for (const [path, model] of [...models].slice(0, Math.max(0, models.size - kept))) {
    models.delete(path)
    // A tab that opened the file may have disposed of the model.
    if (!model.isDisposed()) model.dispose()
  }
}

async function provide(path: string): Promise<void> {
  if (documents.get(path)) return
  try {
    const { text } = await request('files.read', { path })
    // The file was opened in the meantime, so its tab has a model.
    if (documents.get(path)) return
    const known = models.get(path)
    models.delete(path)
    const uri = uriOf(path)
    const usable = known?.isDisposed() === false ? known : monaco.editor.getModel(uri)
    const model = usable ?? monaco.editor.createModel(text, undefined, uri)
    if (model.getValue() !== text) model.setValue(text)
    models.set(path, model)
  } catch (error) {
    // The peek view marks unreadable files as unavailable.
    if (!isAbort(error) && toFailure(error).code === 'internal') throw error
  }
}

/** Creates models for files without a tab, so that Monaco can show their text. */
export async function provideModels(paths: readonly string[]): Promise<void> {
  const waiting = [...new Set(paths)].slice(0, maxFilesPerRequest)
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) await provide(path)
  }
  await Promise.all(Array.from({ length: maxConcurrentReads }, work))
  disposeUnused(Math.max(maxKeptModels, new Set(paths).size))
}

/** Makes the models read-only in peek views, and disposes of them after the peek view closes. */
export function followPeekViews(): void {
  monaco.editor.onDidCreateEditor((editor) => {
    let locked = false
    editor.onDidChangeModel(() => {
      const model = editor.getModel()
      const lookup = model !== null && 'uri' in model && models.get(pathOf(model.uri) ?? '') === model
      if (lookup === locked) return
      locked = lookup
      editor.updateOptions({ readOnly: lookup, readOnlyMessage: { value: 'Open the file to change it.' } })
    })
    // The peek view is removed from the page after this event.
    editor.onDidDispose(() => setTimeout(() => disposeUnused(maxKeptModels)))
  })
}
