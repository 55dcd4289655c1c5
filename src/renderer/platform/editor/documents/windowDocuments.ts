import { useStore } from 'zustand'
import { vsCodeLanguage } from '../../../../shared/settings/languageBlocks.ts'
import { currentPlatform } from '../../appState.ts'
import { request } from '../../bridge/bridge.ts'
import { editorSettings } from '../editorSettings.ts'
import { renameTabs } from '../tabsStore.ts'
import { createDocuments, type DocumentState } from './tabDocuments.ts'

/** The open files of this window. Monaco loads with the first file. */
export const documents = createDocuments({
  request,
  createBuffer: async (options) => (await import('./monacoBuffer.ts')).createMonacoBuffer(options),
  onRealPath: renameTabs,
  eolOf(path, language) {
    const eol = editorSettings(vsCodeLanguage(language, path))?.eol ?? 'auto'
    if (eol !== 'auto') return eol
    return currentPlatform() === 'win32' ? '\r\n' : '\n'
  },
})

export function useDocument(path: string): DocumentState | undefined {
  return useStore(documents.store, (all) => all[path])
}
