import type { SymbolRow } from '../index/indexRows.ts'

/** The symbols that a name or reference refers to. */
export interface Resolution {
  targets: SymbolRow[]
  /** Whether imports and scopes lead to the targets; otherwise only their name matches. */
  resolved: boolean
}

/** The result for a name from outside the workspace. */
export const unresolved: Resolution = { targets: [], resolved: false }

/** Returns a resolution to these symbols; null if there are none. */
export function resolvedTo(targets: SymbolRow[] | null): Resolution | null {
  return targets && targets.length > 0 ? { targets, resolved: true } : null
}
