import type { Node, QueryMatch } from 'web-tree-sitter'
import type { SymbolKind } from './symbolTypes.ts'

/** A definition as a tag query captured it. */
export interface Definition {
  kind: SymbolKind
  node: Node
  name: Node
  body: Node | null
  /** What it ends with: itself, or its body where that stands beside it. */
  last: Node
  owner: string | null
  exported: boolean
}

/** The first node that a match captured under a name. */
export function capturedNode(match: QueryMatch, name: string): Node | null {
  return match.captures.find((capture) => capture.name === name)?.node ?? null
}

/** A name without its quotes, on one line, at most 200 characters. */
export function unquotedName(name: string): string {
  return name
    .replace(/^(["'`])(.*)\1$/s, '$2')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
}
