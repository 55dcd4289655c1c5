/** Codicons of symbol kinds. For other kinds the icon has the name of the kind. */
const icons: Readonly<Record<string, string>> = {
  function: 'symbol-method',
  type: 'symbol-class',
  trait: 'symbol-interface',
  impl: 'symbol-class',
  enum_member: 'symbol-enum-member',
  struct: 'symbol-structure',
  module: 'symbol-namespace',
  import: 'references',
  export: 'references',
  '': 'symbol-misc',
}

/** The codicon of a symbol kind, e.g. `symbol-method` for `method`. */
export function symbolKindIcon(kind: string): string {
  return icons[kind] ?? `symbol-${kind}`
}
