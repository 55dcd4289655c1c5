import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'

// Search and replace blocks, marked like merge conflicts, as many models were trained to write them: <<<<<<< SEARCH /
// lines / ======= / lines / >>>>>>> REPLACE. Also accepts ORIGINAL and UPDATED (early aider), "------- SEARCH" and
// "+++++++ REPLACE" (Cline, src/core/assistant-message/diff.ts), and ":start_line:12" with "-------" at the top of a
// block (Roo Code, multi-search-replace.ts).

/** A search and replace block. */
export interface SearchReplace {
  search: string
  replace: string
  /** The last line above the block that is not a fence: often the file name. */
  above?: string
  /** 1-based line in the file, if the block has one. */
  startLine?: number
  /** First line in the patch, 1-based. */
  at: number
}

const opening = /^(<{5,}|-{5,}) ?(?:SEARCH|ORIGINAL)\b>?\s*$/
const middle = /^(={5,})\s*$/
const closing = /^(>{5,}|\+{5,}) ?(?:REPLACE|UPDATED)\s*$/
const hint = /^:(start_line|end_line):\s*(\d+)\s*$/

/** Whether a text contains the start of a block. */
export function hasBlocks(patch: string): boolean {
  return patch.split(/\r?\n/).some((line) => opening.test(line))
}

/**
 * Parses the blocks of a patch; undefined if it has none. Ignores text around them (a fence, a file name). Both parts
 * of a block are whole lines that end with `\n` unless empty, so that an empty replacement removes the lines. A line
 * counts as a mark if it is as long as the first mark of the block.
 * @throws ToolError invalid_arguments with the line for a block that is not closed, in the wrong order, or ambiguous
 */
export function parseBlocks(patch: string): SearchReplace[] | undefined {
  const lines = patch.replaceAll('\r\n', '\n').split('\n')
  if (!lines.some((line) => opening.test(line))) return undefined
  const blocks: SearchReplace[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    const length = opening.exec(line)?.[1]?.length
    if (length === undefined) {
      if (closing.test(line))
        throw malformed(at + 1, 'This line closes no block, or it belongs to the text of the block above.', longerMarks)
      at += 1
      continue
    }
    const end = closingLine(lines, at, length)
    blocks.push(parseBlock(lines, at, end, length))
    at = end + 1
  }
  return blocks
}

/** Returns the index of a block's closing mark: the first of the same length, otherwise the first of any length. */
function closingLine(lines: readonly string[], start: number, length: number): number {
  let other: number | undefined
  for (let at = start + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const found = closing.exec(line)?.[1]?.length
    if (found === length) return at
    if (found !== undefined) other ??= at
    if (opening.exec(line)?.[1]?.length === length) {
      if (other !== undefined) return other
      throw malformed(at + 1, 'A block starts before the previous one is closed.')
    }
  }
  if (other !== undefined) return other
  throw malformed(
    lines.length,
    'The last block is not closed with ">>>>>>> REPLACE", so a part of the patch may be missing.',
  )
}

function parseBlock(lines: readonly string[], start: number, end: number, length: number): SearchReplace {
  const separators = lines.flatMap((line, at) => (at > start && at < end && middle.test(line) ? [at] : []))
  const [first] = separators
  if (first === undefined) throw malformed(end + 1, 'The block has no "=======" line.')
  const exact =
    separators.length === 1
      ? separators
      : separators.filter((at) => middle.exec(lines[at] ?? '')?.[1]?.length === length)
  const [separator, second] = exact
  if (separator === undefined || second !== undefined) {
    throw malformed(
      first + 1,
      `The block from line ${start + 1} to ${end + 1} has ${plural(separators.length, 'line')} of "=" (${separators.map((at) => at + 1).join(', ')}), ` +
        'any of which could separate its two parts.',
      longerMarks,
    )
  }
  const { search, startLine } = withoutHints(lines.slice(start + 1, separator))
  const replace = lines.slice(separator + 1, end)
  if (search.every((text) => text.trim() === ''))
    throw malformed(start + 1, 'The SEARCH part is empty, so there is nothing to find.')
  const above = lines.slice(0, start).findLast((line) => !/^\s*(?:```.*)?$/.test(line))
  return {
    search: whole(search),
    replace: whole(replace),
    at: start + 1,
    ...(above !== undefined && !closing.test(above) ? { above: above.trim() } : {}),
    ...(startLine === undefined ? {} : { startLine }),
  }
}

/** Removes Roo Code's line numbers before the text to find. */
function withoutHints(search: readonly string[]): { search: readonly string[]; startLine?: number } {
  let at = 0
  let startLine: number | undefined
  for (let found = hint.exec(search[at] ?? ''); found; found = hint.exec(search[at] ?? '')) {
    if (found[1] === 'start_line') startLine = Number(found[2])
    at += 1
  }
  if (at === 0) return { search }
  return {
    search: search.slice(/^-{5,}\s*$/.test(search[at] ?? '') ? at + 1 : at),
    ...(startLine ? { startLine } : {}),
  }
}

function whole(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

const shape =
  'A block is "<<<<<<< SEARCH", the lines to find, "=======", the replacement lines, ">>>>>>> REPLACE", each mark on a separate line.'
const longerMarks =
  'If the text contains such lines, write the three marks of the block with more characters, for example ' +
  '"<<<<<<<<<<< SEARCH", "===========", ">>>>>>>>>>> REPLACE" with eleven each, or use a unified diff.'

function malformed(line: number, why: string, next = shape): ToolError {
  return new ToolError(
    'invalid_arguments',
    `Line ${line} of the patch cannot be parsed. Patch not applied. ${why}`,
    next,
  )
}
