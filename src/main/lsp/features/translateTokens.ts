import type { SemanticTokensLegend } from 'vscode-languageserver-protocol'
import { semanticTokenModifiers, semanticTokenTypes } from '../../../shared/language/languageServers.ts'
import type { DocumentServer } from './featureServer.ts'

/** Converts tokens to UTF-16 columns and to the numbers of `semanticTokenTypes`. Drops unknown types. */
export function translateTokens(
  { codec, lines }: Pick<DocumentServer, 'codec' | 'lines'>,
  data: readonly number[],
  legend: SemanticTokensLegend,
): number[] {
  const types = legend.tokenTypes.map((name) => semanticTokenTypes.findIndex((each) => each === name))
  const modifiersOf = modifierTranslation(legend.tokenModifiers)
  const { lineCount } = lines
  const result: number[] = []
  let line = 0
  let character = 0
  let lastLine = 0
  let lastColumn = 0
  // A file with 10,000 lines has 50,000 tokens, so the loop creates no objects.
  for (let at = 0; at + 4 < data.length; at += 5) {
    const lineStep = data[at] ?? 0
    line += lineStep
    character = (data[at + 1] ?? 0) + (lineStep === 0 ? character : 0)
    const known = types[data[at + 3] ?? 0] ?? -1
    if (known < 0 || line >= lineCount) continue
    const start = codec.columnFromServer(lines, line, character)
    const end = codec.columnFromServer(lines, line, character + (data[at + 2] ?? 0))
    if (end <= start) continue
    const column = line === lastLine ? start - lastColumn : start
    result.push(line - lastLine, column, end - start, known, modifiersOf(data[at + 4] ?? 0))
    lastLine = line
    lastColumn = start
  }
  return result
}

/** Returns a function that converts a server's modifier bits. Cached, because few combinations occur. */
function modifierTranslation(names: readonly string[]): (bits: number) => number {
  const known = new Map<number, number>()
  const modifiers = names.map((name) => semanticTokenModifiers.findIndex((each) => each === name))
  return (bits) => {
    const found = known.get(bits)
    if (found !== undefined) return found
    const sum = modifiers.reduce((all, to, from) => (to >= 0 && bits & (1 << from) ? all | (1 << to) : all), 0)
    known.set(bits, sum)
    return sum
  }
}
