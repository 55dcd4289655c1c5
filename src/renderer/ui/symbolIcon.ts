interface SymbolIcon {
  /** A codicon's name. */
  icon: string
  /** A token of the theme. */
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
}

const plain: SymbolIcon = { icon: 'symbol-misc', color: 'var(--color-text-muted)' }

/** The icon and colour of a symbol kind. Unknown kinds get a default icon. */
export function symbolIcon(kind: string): SymbolIcon {
  return icons[kind] ?? plain
}

/** Formats a symbol kind for display: `enum_member` -> `enum member`. */
export function kindLabel(kind: string): string {
  return kind.replaceAll('_', ' ')
}
