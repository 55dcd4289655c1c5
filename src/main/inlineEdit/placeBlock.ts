import { ToolError } from '../../shared/errors.ts'
import type { CodeBlockTarget, LocateCodeBlockParams } from '../../shared/agent/inlineEdit.ts'
import { maxInstruction } from '../../shared/agent/inlineEditLimits.ts'
import { indentAnswer } from './answerIndentation.ts'
import { isElision } from './inlineEdits.ts'
import { patchedText } from './patchedText.ts'
import { commonLines } from '../../shared/text/commonLines.ts'
import type { LineRange } from '../../shared/diff/lineHunks.ts'

/** A symbol at the top level of a text or of a class. Lines are 1-based and inclusive. */
export interface BlockSymbol {
  name: string
  line: number
  endLine: number
}

/** Returns the symbols of a text in the language of the file; none if the language is unknown. */
export type SymbolsOf = (text: string) => Promise<BlockSymbol[]>

/**
 * Decides which lines of a file a code block from the chat replaces: the selection; the lines in a diff or
 * SEARCH/REPLACE blocks; the definition with the same name; lines that begin and end alike. Otherwise inserts the block
 * at the cursor. A block that leaves code out ("... existing code ...") becomes an instruction for the model.
 * @throws ToolError if a diff does not match the file
 */
export async function placeBlock(params: LocateCodeBlockParams, symbolsOf: SymbolsOf): Promise<CodeBlockTarget> {
  const code = params.code.replaceAll('\r\n', '\n')
  const lines = params.text.split('\n')
  const block = withoutBlankEnds(code.split('\n'))
  if (block.length === 0) throw new ToolError('invalid_arguments', 'The code block is empty.', 'Choose another one.')
  const patched = patchedText(code, params.language, params.text, 'file')
  if (patched !== null) return changedLines(lines, patched.split('\n'))
  const range = params.selection ?? (await rangeOfDefinition(block, params, symbolsOf)) ?? rangeOfEnds(lines, block)
  if (block.some((line) => isElision(line, params.path)))
    return { ...(range ?? wholeText(lines)), instruction: instructionFor(block) }
  const { start, count } = range ?? params.cursor
  const replacement = indented(block, lines, { start, count }, params)
  if (replacement.join('\n') === lines.slice(start - 1, start - 1 + count).join('\n')) throw alreadyApplied()
  return { start, count, lines: replacement }
}

function alreadyApplied(): ToolError {
  return new ToolError('no_change', 'The file already has this code, so nothing changes.', '')
}

/** Returns all lines, without the empty one after the last line break. */
function wholeText(lines: readonly string[]): LineRange {
  return { start: 1, count: Math.max(1, lines.at(-1) === '' ? lines.length - 1 : lines.length) }
}

function instructionFor(block: readonly string[]): string {
  const code = block.join('\n')
  if (code.length > maxInstruction - 200)
    throw new ToolError(
      'too_large',
      'The code block omits code and is too long for the model to complete.',
      'Ask in the chat for the complete code.',
    )
  return `Apply this change. Lines with "..." stand for code that stays.\n\n${code}`
}

/** Returns the lines that differ between two texts. */
function changedLines(before: readonly string[], after: readonly string[]): CodeBlockTarget {
  const { head, tail } = commonLines(before, after)
  if (head === before.length && head === after.length) throw alreadyApplied()
  return { start: head + 1, count: before.length - head - tail, lines: after.slice(head, after.length - tail) }
}

/** Finds the definition that a block with one definition replaces. */
async function rangeOfDefinition(
  block: readonly string[],
  { text }: LocateCodeBlockParams,
  symbolsOf: SymbolsOf,
): Promise<LineRange | null> {
  const defined = await symbolsOf(`${block.join('\n')}\n`)
  const outer = defined.filter((symbol) => !defined.some((other) => other !== symbol && contains(other, symbol)))
  const [first, ...others] = outer
  if (!first || others.length > 0) return null
  const same = (await symbolsOf(text)).filter(({ name }) => name === first.name)
  const [found, ...more] = same.filter((symbol) => !same.some((other) => other !== symbol && contains(other, symbol)))
  if (!found || more.length > 0) return null
  // If the block has comments or decorators, it also replaces those above the definition.
  const lead = commentAbove(text.split('\n'), found.line, first.line - 1)
  return { start: found.line - lead, count: found.endLine - found.line + 1 + lead }
}

function contains(outer: BlockSymbol, inner: BlockSymbol): boolean {
  return outer.line <= inner.line && outer.endLine >= inner.endLine
}

/** Returns how many lines above a definition are comments or decorators; 0 if the block has none. */
function commentAbove(lines: readonly string[], line: number, inBlock: number): number {
  if (inBlock === 0) return 0
  let count = 0
  while (/^\s*(?:\/\/|\/\*|\*|#|@|--|;)/.test(lines[line - 2 - count] ?? '')) count += 1
  return count
}

/** Finds the lines that begin and end like the block, at the same depth, if there is only one such range. */
function rangeOfEnds(lines: readonly string[], block: readonly string[]): LineRange | null {
  const first = block[0]?.trim() ?? ''
  const last = block.at(-1)?.trim() ?? ''
  if (block.length < 2 || first.length < 4) return null
  const starts = lines.flatMap((line, index) => (line.trim() === first ? [index] : []))
  const [start, ...others] = starts
  if (start === undefined || others.length > 0) return null
  const depth = indentWidth(lines[start] ?? '') + indentWidth(block.at(-1) ?? '') - indentWidth(block[0] ?? '')
  const end = lines.findIndex((line, index) => index > start && line.trim() === last && indentWidth(line) === depth)
  return end === -1 ? null : { start: start + 1, count: end - start + 1 }
}

function indentWidth(line: string): number {
  return line.length - line.trimStart().length
}

function indented(
  block: readonly string[],
  lines: readonly string[],
  range: LineRange,
  params: LocateCodeBlockParams,
): string[] {
  const first = range.start - 1
  const replaced = lines.slice(first, first + range.count)
  const blank = replaced.every((line) => line.trim() === '')
  return indentAnswer(block, {
    selection: blank ? null : replaced,
    before: lines.slice(Math.max(0, first - 200), first).join('\n'),
    after: lines.slice(first + range.count, first + range.count + 200).join('\n'),
    cursorIndent: blank ? (replaced[0] ?? '') : '',
    indentation: params.indentation,
    instruction: '',
  })
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1)
}
