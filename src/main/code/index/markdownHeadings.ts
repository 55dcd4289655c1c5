import { fromMarkdown } from 'mdast-util-from-markdown'
import { toString } from 'mdast-util-to-string'
import type { Extraction, FoundSymbol } from './symbolTypes.ts'

/** What is longer takes its parser seconds; documents of this size are generated. In characters. */
const maxTextLength = 256 * 1024
const maxHeadings = 1000
/** A line so deep in quotes and lists that its parser takes time by the square of the depth. */
const tooDeepNesting = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){33}/m

interface Heading {
  level: number
  name: string
  line: number
  column: number
  endLine: number
}

/**
 * The headings of a Markdown text as modules, each from its heading to the next of its level. Throws for a text over 256 KB
 * and for one that nests quotes and lists more than 32 deep.
 */
export function readHeadings(text: string): Extraction {
  if (text.length > maxTextLength)
    throw new Error(`It is larger than ${maxTextLength / 1024} KB, so its headings are not read.`)
  if (tooDeepNesting.test(text)) throw new Error('It nests quotes and lists too deep, so its headings are not read.')
  const headings: Heading[] = []
  // Headings inside quotes and lists belong to what is quoted, not to the document's own outline.
  for (const node of fromMarkdown(text).children) {
    const place = node.position
    if (node.type !== 'heading' || !place || headings.length === maxHeadings) continue
    headings.push({
      level: node.depth,
      name: toString(node).replace(/\s+/g, ' ').trim(),
      line: place.start.line,
      column: place.start.column,
      endLine: place.end.line,
    })
  }
  const lines = text.replace(/\n$/, '').split('\n').length
  const symbols: FoundSymbol[] = []
  const open: { level: number; index: number }[] = []
  for (const [index, { level, name, line, column, endLine }] of headings.entries()) {
    while ((open.at(-1)?.level ?? 0) >= level) open.pop()
    const parent = open.at(-1)?.index ?? null
    const enclosing = parent === null ? undefined : symbols[parent]
    const last = (headings.slice(index + 1).find((next) => next.level <= level)?.line ?? lines + 1) - 1
    symbols.push({
      kind: 'module',
      name,
      parent,
      exported: false,
      doc: '',
      qualified: enclosing ? `${enclosing.qualified}.${name}` : name,
      range: { line, column, endLine: last, endColumn: 1 },
      ...(last > endLine ? { body: { line: endLine + 1, column: 1, endLine: last, endColumn: 1 } } : {}),
      nameLine: line,
      nameColumn: column,
      signature: `${'#'.repeat(level)} ${name}`,
    })
    open.push({ level, index })
  }
  return { symbols, references: [], links: [], hasSyntaxErrors: false }
}
