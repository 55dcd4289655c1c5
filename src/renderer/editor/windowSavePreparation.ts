import { editorSettings } from '../platform/editor/editorSettings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import type * as MonacoFormat from './monacoFormat.ts'
import { createSavePreparation } from './savePreparation.ts'

let monacoFormat: typeof MonacoFormat | undefined

/** Loads Monaco's part. Open files imply that Monaco is loaded. */
async function loadMonacoFormat(): Promise<typeof MonacoFormat> {
  monacoFormat ??= await import('./monacoFormat.ts')
  return monacoFormat
}

export const savePreparation = createSavePreparation({
  documents,
  request,
  settings: editorSettings,
  formatInEditor: async (path) => (await loadMonacoFormat()).formatWithMonaco(path),
  cursorLines(path) {
    void loadMonacoFormat()
    return monacoFormat?.cursorLinesOf(path) ?? new Set()
  },
})
