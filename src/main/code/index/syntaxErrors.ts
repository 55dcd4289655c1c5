import type { Node, Tree } from 'web-tree-sitter'
import { createCpuLimit } from './cpuTime.ts'
import type { Grammar } from './extractSymbols.ts'

/** A place that does not parse. */
export interface ParseError {
  /** 1-based. */
  line: number
  message: string
  /** The line as it stands, by which the same fault is known again after an edit moved it. */
  text: string
}

/** More say nothing more: one slip often makes several. */
const maxErrors = 50
const maxExcerptLength = 60

/** Where a text does not parse, from its beginning. Throws when it takes more than `milliseconds` of processor time. */
export function findParseErrors(
  { parser, language }: Pick<Grammar, 'parser' | 'language'>,
  text: string,
  milliseconds: number,
): ParseError[] {
  const isExpired = createCpuLimit(milliseconds)
  parser.setLanguage(language)
  const tree = parser.parse(text, null, { progressCallback: isExpired })
  if (!tree) {
    // It would go on with the text that it was stopped in.
    parser.reset()
    throw new Error(`Parsing it took more than ${milliseconds / 1000} s of processor time.`)
  }
  try {
    return collectErrors(tree, text.split('\n'))
  } finally {
    tree.delete()
  }
}

/** Those of `after` that were not there before. */
export function newParseErrors(before: readonly ParseError[], after: readonly ParseError[]): ParseError[] {
  const known = before.map(({ text }) => text)
  return after.filter(({ text }) => {
    const at = known.indexOf(text)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

function collectErrors(tree: Tree, lines: readonly string[]): ParseError[] {
  const found: ParseError[] = []
  const cursor = tree.walk()
  try {
    // Only what has an error is entered, so a sound file costs one look at its root.
    let inside = tree.rootNode.hasError
    while (inside && found.length < maxErrors) {
      const node = cursor.currentNode
      const fault = node.isMissing || (node.isError && !hasInnerError(node))
      if (fault) found.push(describeError(node, lines))
      if (!fault && node.hasError && cursor.gotoFirstChild()) continue
      while (inside && !cursor.gotoNextSibling()) inside = cursor.gotoParent()
    }
    return found
  } finally {
    cursor.delete()
  }
}

/** What encloses another fault is only what could not be read because of it. */
function hasInnerError(node: Node): boolean {
  return node.children.some((child) => child !== null && (child.isMissing || child.isError || child.hasError))
}

function describeError(node: Node, lines: readonly string[]): ParseError {
  const { row } = node.startPosition
  const text = lines[row]?.trim() ?? ''
  if (node.isMissing)
    return {
      line: row + 1,
      message: `${node.isNamed ? node.type.replaceAll('_', ' ') : `"${node.type}"`} is missing`,
      text,
    }
  const first = node.text.split('\n')[0]?.trim() ?? ''
  const excerpt = first.length > maxExcerptLength ? `${first.slice(0, maxExcerptLength).toWellFormed()}…` : first
  const last = node.endPosition.row
  return {
    line: row + 1,
    message: `unexpected ${JSON.stringify(excerpt)}${last > row ? ` (up to line ${last + 1})` : ''}`,
    text,
  }
}
