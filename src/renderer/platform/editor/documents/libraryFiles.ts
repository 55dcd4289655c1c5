import { create } from 'zustand'
import { request } from '../../bridge/bridge.ts'
import { monaco } from '../monaco/monaco.ts'
import { previewTab } from '../tabsState.ts'
import { showTab } from '../tabsStore.ts'

// Library and toolchain files outside the folder, to which definitions lead. Main assigns each an id; the window cannot
// read any other files outside the folder.

const scheme = 'library'

export interface LibraryTarget {
  id: string
  /** Absolute path, for the user. */
  path: string
  position: { line: number; column: number }
  /** Reads a text that is no file, such as a source of a debugger. */
  read?: () => Promise<string>
}

/** The range to reveal in a library file's tab, by the tab's path. The view removes it once it is shown. */
export const useLibraryTargets = create<Readonly<Record<string, LibraryTarget>>>(() => ({}))

const nameOf = (path: string): string => path.split(/[/\\]/).at(-1) ?? path

export function libraryUri({ id, path }: Pick<LibraryTarget, 'id' | 'path'>): monaco.Uri {
  return monaco.Uri.from({ scheme, path: `/${id}/${nameOf(path)}` })
}

/** Returns the id of a model's library file; null for other models. */
export function libraryIdOf(uri: monaco.Uri): string | null {
  return uri.scheme === scheme ? (uri.path.split('/')[1] ?? null) : null
}

/** Absolute paths of the library files that have been loaded, by id. */
const paths = new Map<string, string>()
/** How to read the texts that are no files, by id. */
const readers = new Map<string, LibraryTarget>()
/** Maximum number of models that no editor shows. */
const maxIdleModels = 10
const models = new Map<string, monaco.editor.ITextModel>()

function disposeIdle(): void {
  const idle = [...models].filter(([, model]) => !model.isAttachedToEditor())
  for (const [id, model] of idle.slice(0, Math.max(0, idle.length - maxIdleModels))) {
    models.delete(id)
    model.dispose()
  }
}

/** Returns the model of a library file, loading it if necessary. @throws like `language.libraryFile` */
export async function libraryModel(id: string): Promise<{ path: string; model: monaco.editor.ITextModel }> {
  const known = models.get(id)
  const knownPath = paths.get(id)
  if (known && knownPath !== undefined) return { path: knownPath, model: known }
  const reader = readers.get(id)
  const { path, text } =
    reader?.read === undefined
      ? await request('language.libraryFile', { id })
      : { path: reader.path, text: await reader.read() }
  const uri = libraryUri({ id, path })
  const model = monaco.editor.getModel(uri) ?? monaco.editor.createModel(text, undefined, uri)
  paths.set(id, path)
  models.set(id, model)
  disposeIdle()
  return { path, model }
}

/** Opens a library file in a read-only tab. */
export function openLibraryFile(target: LibraryTarget): void {
  if (target.read !== undefined) readers.set(target.id, target)
  const tab = previewTab(`${target.id}/${nameOf(target.path)}`, 'library')
  useLibraryTargets.setState({ [tab.path]: target })
  showTab(tab, undefined, { preview: true })
}

/** Opens a model's library file, for example from a peek view. */
export function openLibraryModel(uri: monaco.Uri, position: LibraryTarget['position']): void {
  const id = libraryIdOf(uri)
  if (id !== null) openLibraryFile({ id, path: paths.get(id) ?? uri.path, position })
}
