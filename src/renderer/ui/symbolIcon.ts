interface SymbolIcon {
  /** Name of a codicon. */
  icon: string
  /** CSS color from a token. */
  color: string
}

const symbol = (icon: string, color: string): SymbolIcon => ({
  icon: `symbol-${icon}`,
  color: `var(--color-syntax-${color})`,
})

const icons: Record<string, SymbolIcon> = {
  function: symbol('function', 'keyword'),
  method: symbol('method', 'keyword'),
  class: symbol('class', 'number'),
  struct: symbol('struct', 'number'),
  interface: symbol('interface', 'function'),
  trait: symbol('interface', 'function'),
  impl: symbol('class', 'function'),
  type: symbol('type-parameter', 'function'),
  enum: symbol('enum', 'number'),
  enum_member: symbol('enum-member', 'function'),
  constant: symbol('constant', 'function'),
  variable: symbol('variable', 'function'),
  property: symbol('property', 'function'),
  module: symbol('module', 'attribute'),
  namespace: symbol('namespace', 'attribute'),
  import: { icon: 'references', color: 'var(--color-text-muted)' },
  export: { icon: 'references', color: 'var(--color-text-muted)' },
}

const plain: SymbolIcon = { icon: 'symbol-misc', color: 'var(--color-text-muted)' }

/** Returns the codicon and color of the code index's symbol kind, or a default for unknown kinds. */
export function symbolIcon(kind: string): SymbolIcon {
  return icons[kind] ?? plain
}

/** Formats a symbol kind for display: `enum_member` -> `enum member`. */
export function kindLabel(kind: string): string {
  return kind.replaceAll('_', ' ')
}
