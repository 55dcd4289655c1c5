/** Kinds of the code index (code/index/symbolTypes.ts) in the order of `SymbolKind` of the protocol, which starts with 1. */
const kinds = [
  'module',
  'module',
  'namespace',
  'namespace',
  'class',
  'method',
  'property',
  'property',
  'method',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  // Values of data files: string, number, boolean, array, object, key, null.
  ...Array.from({ length: 7 }, () => 'property'),
  'enum_member',
  'struct',
  'variable',
  'function',
  'type',
]

export function symbolKindOf(kind: number): string {
  return kinds[kind - 1] ?? 'variable'
}

/** Maximum UTF-16 units of a name or a signature. */
const maxText = 200

/** Returns a text of a server on one line, truncated. */
export function oneLine(text: unknown): string {
  if (typeof text !== 'string') return ''
  const line = text
    .slice(0, 2 * maxText)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > maxText ? `${line.slice(0, maxText).toWellFormed()}…` : line
}
