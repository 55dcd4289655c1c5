import type { Node, Tree } from 'web-tree-sitter'
import { createCpuLimit } from './cpuTime.ts'
import type { Grammar } from './extractSymbols.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/** A syntax error found by tree-sitter. */
export interface ParseError {
  /** 1-based. */
  line: number
  message: string
  /** Trimmed text of the line, which identifies the error after an edit has moved it. */
  text: string
}

/** Maximum number of errors; one mistake often causes several. */
const maxErrors = 50
const maxExcerptLength = 60

/** Returns the syntax errors of a text in order. @throws Error after `milliseconds` of processor time */
export function findParseErrors(
  { parser, language }: Pick<Grammar, 'parser' | 'language'>,
  text: string,
  milliseconds: number,
): ParseError[] {
  const isExpired = createCpuLimit(milliseconds)
  parser.setLanguage(language)
  const tree = parser.parse(text, null, { progressCallback: isExpired })
  if (!tree) {
    // Without a reset, the next parse would resume this text.
    parser.reset()
    throw new Error(`Parsing took more than ${milliseconds / 1000} s of processor time.`)
  }
  try {
    return collectErrors(tree, text.split('\n'))
  } finally {
    tree.delete()
  }
}

/** Returns the errors in `after` that are not in `before`. */
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
    // Descends only into nodes with errors, so a correct file costs one check of its root.
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

/** An error node around other errors is only their consequence. */
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
  const excerpt = truncate(first, maxExcerptLength)
  const last = node.endPosition.row
  return {
    line: row + 1,
    message: `unexpected ${JSON.stringify(excerpt)}${last > row ? ` (up to line ${last + 1})` : ''}`,
    text,
  }
}
