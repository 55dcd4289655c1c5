/** A position in a file. Lines begin at 1, columns at 0, as in stack traces of source maps. */
interface Position {
  source: string
  line: number
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Returns the address of a script's source map, or null. The last comment counts. */
export function mapAddress(script: string, address: string): URL | null {
  const at = script.lastIndexOf('//# sourceMappingURL=')
  if (at === -1) return null
  const [found = ''] = script.slice(at + '//# sourceMappingURL='.length).split(/\s/, 1)
  return URL.parse(found, address)
}

/**
 * Returns where a position of a script comes from, or null.
 * @param map source map, version 3
 * @param line begins at 1
 * @param column begins at 1
 */
export function originalPosition(map: unknown, line: number, column: number): Position | null {
  if (typeof map !== 'object' || map === null || !('mappings' in map) || !('sources' in map)) return null
  const { mappings, sources } = map
  if (typeof mappings !== 'string' || !Array.isArray(sources)) return null
  const root = 'sourceRoot' in map && typeof map.sourceRoot === 'string' ? map.sourceRoot : ''
  let found: { source: number; line: number } | null = null
  let [source, sourceLine] = [0, 0]
  for (const [index, group] of mappings.split(';', line).entries()) {
    let generatedColumn = 0
    for (const segment of group.split(',')) {
      const [columnStep = 0, sourceStep, lineStep = 0] = decode(segment)
      generatedColumn += columnStep
      if (sourceStep === undefined) continue
      source += sourceStep
      sourceLine += lineStep
      if (index === line - 1 && generatedColumn <= column - 1) found = { source, line: sourceLine + 1 }
    }
  }
  const name: unknown = found && sources[found.source]
  return found && typeof name === 'string' ? { source: `${root}${name}`, line: found.line } : null
}

/** Decodes numbers of a segment: 5 bits a character, the lowest bit of a number is its sign. */
function decode(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const character of segment) {
    const digit = digits.indexOf(character)
    value += (digit & 31) * 2 ** shift
    shift += 5
    if ((digit & 32) !== 0) continue
    numbers.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2)
    ;[value, shift] = [0, 0]
  }
  return numbers
}
