import { fromMarkdown } from 'mdast-util-from-markdown'
import { toString } from 'mdast-util-to-string'
import type { Extraction, FoundSymbol } from './symbolTypes.ts'

/** Maximum UTF-16 units. Longer documents are generated and take seconds to parse. */
const maxTextLength = 256 * 1024
const maxHeadings = 1000
/** A line nested so deeply in quotes and lists that parsing takes quadratic time. */
const tooDeepNesting = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){33}/m

interface Heading {
  level: number
  name: string
  line: number
  column: number
  endLine: number
}

/**
 * Reads Markdown headings as modules that extend to the next heading of the same level. @throws Error for texts over
 * 256 KB, and for quotes and lists nested more than 32 levels
 */
export function readHeadings(text: string): Extraction {
  if (text.length > maxTextLength)
    throw new Error(`The file is larger than ${maxTextLength / 1024} KB, so headings were not read.`)
  if (tooDeepNesting.test(text)) throw new Error('Quotes or lists are nested too deeply, so headings were not read.')
  const headings: Heading[] = []
  // Headings inside quotes and lists are not part of the document's outline.
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
