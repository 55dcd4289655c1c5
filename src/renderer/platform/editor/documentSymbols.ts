import type { OutlineSymbol } from '../../../shared/language/codeNavigation.ts'

/** Loads the symbols of an open file, parents before their children. Empty if the language has none. */
export type LoadSymbols = (path: string) => Promise<readonly OutlineSymbol[]>

let load: LoadSymbols = async () => []

/** Registers the provider of symbols for the breadcrumbs. @returns a function that unregisters it */
export function provideDocumentSymbols(source: LoadSymbols): () => void {
  load = source
  return () => {
    if (load === source) load = async () => []
  }
}

export const documentSymbols: LoadSymbols = (path) => load(path)
