import type { Node, Tree } from 'web-tree-sitter'
import { cpuLimit } from './cpuTime.ts'
import type { Grammar } from './extractSymbols.ts'

/** A place that does not parse. */
export interface SyntaxFault {
  /** 1-based. */
  line: number
  message: string
  /** The line as it stands, by which the same fault is known again after an edit moved it. */
  text: string
}

/** More say nothing more: one slip often makes several. */
const most = 50
const longestExcerpt = 60

/** Where a text does not parse, from its beginning. Throws when it takes more than `milliseconds` of processor time. */
export function syntaxErrors(
  { parser, language }: Pick<Grammar, 'parser' | 'language'>,
  text: string,
  milliseconds: number,
): SyntaxFault[] {
  const overdue = cpuLimit(milliseconds)
  parser.setLanguage(language)
  const tree = parser.parse(text, null, { progressCallback: overdue })
  if (!tree) {
    // It would go on with the text that it was stopped in.
    parser.reset()
    throw new Error(`Parsing it took more than ${milliseconds / 1000} s of processor time.`)
  }
  try {
    return faultsOf(tree, text.split('\n'))
  } finally {
    tree.delete()
  }
}

/** Those of `after` that were not there before. */
export function newFaults(before: readonly SyntaxFault[], after: readonly SyntaxFault[]): SyntaxFault[] {
  const known = before.map(({ text }) => text)
  return after.filter(({ text }) => {
    const at = known.indexOf(text)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

function faultsOf(tree: Tree, lines: readonly string[]): SyntaxFault[] {
  const found: SyntaxFault[] = []
  const cursor = tree.walk()
  try {
    // Only what has an error is entered, so a sound file costs one look at its root.
    let inside = tree.rootNode.hasError
    while (inside && found.length < most) {
      const node = cursor.currentNode
      const fault = node.isMissing || (node.isError && !hasInnerFault(node))
      if (fault) found.push(faultAt(node, lines))
      if (!fault && node.hasError && cursor.gotoFirstChild()) continue
      while (inside && !cursor.gotoNextSibling()) inside = cursor.gotoParent()
    }
    return found
  } finally {
    cursor.delete()
  }
}

/** What encloses another fault is only what could not be read because of it. */
function hasInnerFault(node: Node): boolean {
  return node.children.some((child) => child !== null && (child.isMissing || child.isError || child.hasError))
}

function faultAt(node: Node, lines: readonly string[]): SyntaxFault {
  const { row } = node.startPosition
  const text = lines[row]?.trim() ?? ''
  if (node.isMissing)
    return {
      line: row + 1,
      message: `${node.isNamed ? node.type.replaceAll('_', ' ') : `"${node.type}"`} is missing`,
      text,
    }
  const first = node.text.split('\n')[0]?.trim() ?? ''
  const excerpt = first.length > longestExcerpt ? `${first.slice(0, longestExcerpt).toWellFormed()}…` : first
  const last = node.endPosition.row
  return {
    line: row + 1,
    message: `unexpected ${JSON.stringify(excerpt)}${last > row ? ` (up to line ${last + 1})` : ''}`,
    text,
  }
}
