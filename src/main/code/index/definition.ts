import type { Node } from 'web-tree-sitter'
import type { Capture } from './queryMatches.ts'
import type { SymbolKind } from './symbolTypes.ts'

/** A definition captured by a tag query. */
export interface Definition {
  kind: SymbolKind
  node: Node
  name: Capture
  body: Node | null
  /** Last node of the definition: the definition node, or a separately captured body. */
  last: Node
  /** Name of the type that a method belongs to, if it is declared outside the type. */
  owner: string | null
  exported: boolean
}

/** Returns a name on one line, without quotes, truncated to 200 characters. */
export function unquotedName(name: string): string {
  if (/^[\w$]{1,200}$/.test(name)) return name
  return name
    .replace(/^(["'`])(.*)\1$/s, '$2')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
}
