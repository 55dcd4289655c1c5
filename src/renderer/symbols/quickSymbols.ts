import { withIndexProgress } from '../../shared/language/indexProgress.ts'
import type { CodeSymbol, OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import type { QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { requestCode, outlineOf } from './codeRequests.ts'
import { kindLabel, symbolIcon } from '../ui/symbolIcon.ts'

/** Picker item for a symbol, with its location. */
export interface SymbolItem extends QuickPickItem {
  place: { path: string; line: number; column: number }
}

function itemOf(symbol: CodeSymbol, description: string): SymbolItem {
  const { icon, color } = symbolIcon(symbol.kind)
  return {
    id: symbol.id,
    label: symbol.name,
    description,
    detail: kindLabel(symbol.kind),
    icon,
    iconColor: color,
    place: { path: symbol.path, line: symbol.nameLine, column: symbol.nameColumn },
  }
}

/** Picker items for the symbols of a file, in text order. */
export async function fileSymbols(path: string): Promise<SymbolItem[]> {
  const { symbols } = await outlineOf(path)
  return symbols.map((symbol: OutlineSymbol) => itemOf(symbol, symbol.container))
}

/**
 * Picker items for symbols in the folder by name, best first. While the index is being built, `building` describes the
 * progress, which is also the items' heading.
 */
export async function folderSymbols(query: string): Promise<{ items: SymbolItem[]; building?: string }> {
  const { symbols, building } = await requestCode('code.symbols', { query })
  const heading = building ? withIndexProgress('The index is being built', building) : undefined
  const items = symbols.map((symbol, index) => ({
    ...itemOf(symbol, [symbol.container, symbol.path].filter(Boolean).join(' · ')),
    ...(index === 0 && heading !== undefined ? { heading } : {}),
  }))
  return { items, ...(heading !== undefined && { building: heading }) }
}
