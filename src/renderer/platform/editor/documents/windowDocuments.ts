import { useStore } from 'zustand'
import { request } from '../../bridge/bridge.ts'
import { renameTabs } from '../tabsStore.ts'
import { createDocuments, type DocumentState } from './tabDocuments.ts'

/** The open files of this window. Monaco loads with the first file. */
export const documents = createDocuments({
  request,
  createBuffer: async (options) => (await import('./monacoBuffer.ts')).createMonacoBuffer(options),
  onRealPath: renameTabs,
})

export function useDocument(path: string): DocumentState | undefined {
  return useStore(documents.store, (all) => all[path])
}
