import { ToolError } from '../../shared/errors.ts'

// Search and replace blocks, marked like a merge conflict, as many models were trained to write them:
// <<<<<<< SEARCH / lines / ======= / lines / >>>>>>> REPLACE

export interface SearchReplace {
  search: string
  replace: string
}

const opening = /^<{5,9} ?SEARCH\s*$/
const middle = /^={5,9}\s*$/
const closing = /^>{5,9} ?REPLACE\s*$/

/**
 * The blocks of a patch, undefined where it has none. Text around them (a fence, a file name) is passed over.
 * Each part is whole lines; both end with `\n` unless a part is empty, so that replacing by nothing takes the lines away.
 * Throws `invalid_arguments`, naming the line, for a block that is not closed or in the wrong order.
 */
export function parseBlocks(patch: string): SearchReplace[] | undefined {
  const lines = patch.replaceAll('\r\n', '\n').split('\n')
  if (!lines.some((line) => opening.test(line))) return undefined
  const blocks: SearchReplace[] = []
  let search: string[] | undefined
  let replace: string[] | undefined
  for (const [index, line] of lines.entries()) {
    if (opening.test(line)) {
      if (search) throw malformed(index + 1, 'A block begins before the one above is closed.')
      search = []
    } else if (closing.test(line)) {
      if (!search || !replace) throw malformed(index + 1, search ? 'The block has no "=======" line.' : 'A block is closed that was never begun.')
      if (search.every((text) => text.trim() === '')) throw malformed(index + 1, 'The SEARCH part is empty, so there is nothing to look for.')
      blocks.push({ search: whole(search), replace: whole(replace) })
      search = replace = undefined
    } else if (search && !replace && middle.test(line)) replace = []
    else (replace ?? search)?.push(line)
  }
  if (search) throw malformed(lines.length, 'The last block is not closed with ">>>>>>> REPLACE", so a part of the patch may be missing.')
  return blocks
}

function whole(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function malformed(line: number, why: string): ToolError {
  return new ToolError('invalid_arguments', `The patch cannot be read at line ${line}, so nothing was changed. ${why}`,
    'A block is "<<<<<<< SEARCH", the lines to find, "=======", the lines to put there, ">>>>>>> REPLACE", each mark on a line of its own.')
}
