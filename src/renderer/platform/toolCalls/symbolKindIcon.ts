/** Codicons of the code index's kinds; the rest are called as their kind. */
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

/** The icon of a kind of symbol (`method` -> `symbol-method`). */
export function symbolKindIcon(kind: string): string {
  return icons[kind] ?? `symbol-${kind}`
}
