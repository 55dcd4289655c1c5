/** Returns the whitespace at the start of a line. */
function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}

/** Indentation of a line as written by the model and as in the file. */
interface Pair {
  old: string
  file: string
}
/** Ratio of the model's indentation to the file's, in characters. Null if both are equal. */
type Scale = { old: number; file: number } | null

/**
 * Returns a function that indents lines written like `old` as in the file. Blank lines do not change. Depths that occur
 * in `old` map exactly to those of the file; others are relative to the nearest one.
 * @param file the matched lines of the file
 * @param old the lines that they matched, one for one
 * @param now the lines to indent, which show the model's indentation step
 * @param wholeFile decides between tabs and spaces if the matched lines have no indentation
 */
export function indentLike(
  file: readonly string[],
  old: readonly string[],
  now: readonly string[],
  wholeFile: readonly string[],
): (line: string) => string {
  const pairs = old
    .map((line, index): Pair => ({ old: indentOf(line), file: indentOf(file[index] ?? '') }))
    .filter((_, index) => old[index]?.trim() !== '')
  const known = new Map(pairs.toReversed().map((pair) => [pair.old, pair.file]))
  const character = fileCharacter(pairs, wholeFile)
  const scale = scaleOf(pairs, [...old, ...now], character, wholeFile)

  return (line) => {
    if (line.trim() === '') return line
    const indent = indentOf(line)
    const content = line.slice(indent.length)
    const exact = known.get(indent)
    if (exact !== undefined) return exact + content
    const shallower = [...known.keys()]
      .filter((depth) => indent.startsWith(depth))
      .toSorted((a, b) => b.length - a.length)[0]
    if (shallower !== undefined) {
      return (known.get(shallower) ?? '') + scaled(indent.slice(shallower.length), scale, character) + content
    }
    const deeper = [...known.keys()]
      .filter((depth) => depth.startsWith(indent))
      .toSorted((a, b) => a.length - b.length)[0]
    if (deeper === undefined) return scaled(indent, scale, character) + content
    const surplus = scaled(deeper.slice(indent.length), scale, character).length
    return (known.get(deeper) ?? '').slice(surplus) + content
  }
}

function fileCharacter(pairs: readonly Pair[], wholeFile: readonly string[]): ' ' | '\t' {
  const matched = pairs.map((pair) => pair.file).filter((indent) => indent !== '')
  const indents =
    matched.length > 0
      ? matched
      : wholeFile
          .slice(0, 2_000)
          .map(indentOf)
          .filter((indent) => indent !== '')
  const tabs = indents.filter((indent) => indent.startsWith('\t')).length
  return tabs * 2 > indents.length ? '\t' : ' '
}

function scaleOf(
  pairs: readonly Pair[],
  written: readonly string[],
  character: string,
  wholeFile: readonly string[],
): Scale {
  // Models often omit only the first line's indentation. The other lines show the true scale.
  if (pairs.slice(1).some((pair) => pair.old !== '' && pair.old === pair.file)) return null
  const depths = pairs.toSorted((a, b) => a.old.length - b.old.length)
  for (const [index, pair] of depths.entries()) {
    const next = depths.slice(index + 1).find((other) => other.old.length > pair.old.length)
    if (next && next.file.length > pair.file.length) {
      return { old: next.old.length - pair.old.length, file: next.file.length - pair.file.length }
    }
  }
  const writtenInTabs = written.some((line) => line.startsWith('\t'))
  if (writtenInTabs === (character === '\t')) return null
  return writtenInTabs ? { old: 1, file: step(wholeFile.slice(0, 2_000)) } : { old: step(written), file: 1 }
}

/** Returns the smallest indentation step in spaces, or 4 if there is none. */
function step(lines: readonly string[]): number {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map(indentOf)
    .filter((indent) => !indent.includes('\t'))
  const widths = [...new Set(indents.map((indent) => indent.length))].toSorted((a, b) => a - b)
  const steps = widths
    .slice(1)
    .map((width, index) => width - (widths[index] ?? 0))
    .filter((width) => width > 1)
  return steps.length > 0 ? Math.min(...steps) : 4
}

function scaled(indent: string, scale: Scale, character: string): string {
  if (scale === null) return indent
  const levels = (indent.length * scale.file) / scale.old
  // Whatever exceeds whole levels is alignment, which stays in spaces.
  return Number.isInteger(levels)
    ? character.repeat(levels)
    : character.repeat(Math.floor(levels)) + ' '.repeat(indent.length % scale.old)
}
