import type { editor, IDisposable } from 'monaco-editor'
import { notifyFailure } from '../notices.ts'

/**
 * Adds behavior to a code editor, such as decorations, view zones or widgets. Its model changes with the active file.
 */
export type EditorExtension = (codeEditor: editor.IStandaloneCodeEditor) => IDisposable

type LoadExtension = () => Promise<EditorExtension>

const extensions = new Set<LoadExtension>()

/**
 * Adds an extension to the code editors of all groups. It loads when the first editor is created.
 * @returns a function that removes it
 */
export function contributeEditorExtension(load: LoadExtension): () => void {
  extensions.add(load)
  return () => extensions.delete(load)
}

/** Loads all contributed extensions before the first code editor is created. */
export async function preloadEditorExtensions(): Promise<void> {
  await Promise.all(Array.from(extensions, (load) => load()))
}

/** Attaches all contributed extensions to a new code editor. @returns a function that detaches it */
export function attachEditorExtensions(codeEditor: editor.IStandaloneCodeEditor): IDisposable {
  const attached: IDisposable[] = []
  let disposed = false
  for (const load of extensions) {
    load()
      .then((extension) => {
        if (!disposed) attached.push(extension(codeEditor))
      })
      .catch((error: unknown) => notifyFailure(error, 'A part of the editor could not be loaded'))
  }
  return {
    dispose() {
      disposed = true
      for (const each of attached) each.dispose()
    },
  }
}
