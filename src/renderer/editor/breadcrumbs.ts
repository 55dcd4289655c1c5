import type { OutlineSymbol } from '../../shared/language/codeNavigation.ts'

/** A folder or the file in the breadcrumbs. */
export interface PathCrumb {
  name: string
  /** Path of the folder or file. */
  path: string
  folder: boolean
}

/** Pure: the folders of a path from the outermost in, and the file. */
export function pathCrumbs(path: string): PathCrumb[] {
  const parts = path.split('/')
  return parts.map((name, index) => ({
    name,
    path: parts.slice(0, index + 1).join('/'),
    folder: index < parts.length - 1,
  }))
}

/** Pure: the symbols that enclose a line, from the outermost in. Imports and exports enclose nothing. */
export function symbolTrail(symbols: readonly OutlineSymbol[], line: number): OutlineSymbol[] {
  const innermost = symbols.findLastIndex((symbol) => symbol.line <= line && line <= symbol.endLine)
  const trail: OutlineSymbol[] = []
  for (let at: number | null = innermost < 0 ? null : innermost; at !== null;) {
    const symbol: OutlineSymbol | undefined = symbols[at]
    if (!symbol) break
    if (symbol.kind !== 'import' && symbol.kind !== 'export') trail.unshift(symbol)
    // Parents precede their children, so this ends.
    at = symbol.parent !== null && symbol.parent < at ? symbol.parent : null
  }
  return trail
}

/** Pure: the symbols with the same parent as `symbol`. */
export function siblings(symbols: readonly OutlineSymbol[], symbol: OutlineSymbol): OutlineSymbol[] {
  return symbols.filter(({ parent, kind }) => parent === symbol.parent && kind !== 'import' && kind !== 'export')
}
