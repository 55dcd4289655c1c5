/** Parses JSON with comments and trailing commas, as in tsconfig.json. @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  const plain = text
    .replace(/^\ufeff/, '')
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? '')
  return JSON.parse(plain)
}

/** Returns the members of an object; empty for other values. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [])
}

/** Returns the strings of a list, or a single string as a list. */
export function stringsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string')
}
