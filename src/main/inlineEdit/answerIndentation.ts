import type { InlineEditTarget } from '../../shared/agent/inlineEdit.ts'

/** Matches a line that starts a block, so that the next line is deeper. */
const opensBlock = /(?:[{([:]|=>|\b(?:then|do|else|begin))\s*$/i
/** Matches a line that continues the previous one, so that it is indented without a block. */
const continuesLine = /^\s*(?:[.?:+*/&|,=]|-[^-])/
const closesBlock = /^\s*[\])}]/

type Target = Pick<InlineEditTarget, 'selection' | 'before' | 'after' | 'cursorIndent' | 'indentation'> & {
  instruction: string
}

/**
 * Indents an answer like the lines that it replaces. Models keep the file's indentation, drop it, double it, or omit it
 * only in the first line. Does nothing if the instruction is about indentation.
 */
export function indentAnswer(lines: readonly string[], target: Target): string[] {
  const converted = convertCharacters(lines, target)
  if (/indent/i.test(target.instruction)) return converted
  const first = converted.find((line) => line.trim() !== '')
  const expected = expectedIndent(target, first ?? '')
  if (first === undefined || expected === null) return converted
  const surplus = indentOf(first).length - expected.length
  if (surplus === 0) return converted
  if (missesOnlyFirst(converted, expected)) return converted.map((line) => (line === first ? expected + line : line))
  return converted.map((line) => shifted(line, surplus, expected))
}

function shifted(line: string, surplus: number, expected: string): string {
  if (line.trim() === '') return line
  const indent = indentOf(line)
  if (surplus > 0) return line.slice(Math.min(surplus, indent.length))
  return expected.slice(0, 1).repeat(-surplus) + line
}

/**
 * Whether only the first line is unindented: the next one has the expected depth, and is neither its body nor its
 * continuation.
 */
function missesOnlyFirst(lines: readonly string[], expected: string): boolean {
  const [first = '', second] = lines.filter((line) => line.trim() !== '')
  return (
    second !== undefined &&
    indentOf(first) === '' &&
    indentOf(second).length >= expected.length &&
    !opensBlock.test(first) &&
    !continuesLine.test(second)
  )
}

/** Returns the indentation that the first line should have; null if any is plausible. */
function expectedIndent(target: Target, first: string): string | null {
  const selected = target.selection?.find((line) => line.trim() !== '')
  if (selected !== undefined) return indentOf(selected)
  if (target.cursorIndent !== '') return target.cursorIndent
  if (indentOf(first) !== '') return null
  const above = target.before.split('\n').findLast((line) => line.trim() !== '')
  const below = target.after.split('\n').find((line) => line.trim() !== '')
  if (above !== undefined && opensBlock.test(above)) return indentOf(above) + unit(target)
  if (below === undefined) return null
  return closesBlock.test(below) && above !== undefined ? indentOf(above) : indentOf(below)
}

/**
 * Converts leading tabs to spaces or the reverse, as in the file. Selected lines that the model repeats stay unchanged.
 */
function convertCharacters(lines: readonly string[], target: Target): string[] {
  const selected = new Set(target.selection)
  const tabs = usesTabs(target)
  if (!tabs) {
    const spaces = ' '.repeat(target.indentation.size)
    return lines.map((line) => {
      const indent = indentOf(line)
      return indent.includes('\t') && !selected.has(line)
        ? indent.replaceAll('\t', spaces) + line.slice(indent.length)
        : line
    })
  }
  if (lines.some((line) => line.startsWith('\t'))) return [...lines]
  const step = smallestStep(lines)
  return lines.map((line) => {
    const width = indentOf(line).length
    return '\t'.repeat(Math.floor(width / step)) + ' '.repeat(width % step) + line.slice(width)
  })
}

function usesTabs({ selection, before, after, indentation }: Target): boolean {
  const near = [...(selection ?? []), ...before.split('\n').slice(-200), ...after.split('\n').slice(0, 200)]
  const tabs = near.filter((line) => line.startsWith('\t')).length
  const spaces = near.filter((line) => line.startsWith('  ')).length
  return tabs === spaces ? indentation.tabs : tabs > spaces
}

function smallestStep(lines: readonly string[]): number {
  const widths = [...new Set(lines.filter((line) => line.trim() !== '').map((line) => indentOf(line).length))]
  const sorted = widths.toSorted((a, b) => a - b)
  const steps = sorted.map((width, index) => width - (sorted[index - 1] ?? 0)).filter((step) => step > 1)
  return steps.length === 0 ? 4 : Math.min(...steps)
}

function unit(target: Target): string {
  return usesTabs(target) ? '\t' : ' '.repeat(target.indentation.size)
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}
