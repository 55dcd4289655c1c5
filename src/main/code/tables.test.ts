import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasSymbols, languageOf, languages } from './index/languages.ts'
import { createSymbolReader } from './index/symbolReader.ts'
import { edgeKinds, symbolKinds, type Extraction } from './index/symbolTypes.ts'

// Tables of extracted symbols, one file per language: excerpts, each with all of its symbols and edges except plain
// uses.
const folder = path.join(import.meta.dirname, 'tables')
const files = readdirSync(folder)
const tables = files.flatMap((table) =>
  readFileSync(path.join(folder, table), 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = '', text = '', symbols = '', edges = ''] = part.split(/^--- (?:text|symbols|edges)\n/m)
      const [file = '', source = ''] = head.trim().split(' | ')
      return { table, file, source, text, symbols: symbols.trim(), edges: edges.trim() }
    }),
)

const notices: string[] = []
const grammars = fileURLToPath(new URL('../../../resources/grammars', import.meta.url))
const reader = createSymbolReader({ grammars, onNotice: (notice) => notices.push(notice), milliseconds: 60_000 })

const symbolLines = ({ symbols }: Extraction): string[] =>
  symbols.map(({ kind, qualified, range }) => `${kind} ${qualified} ${range.line}-${range.endLine}`)

function edgeLines({ references, links, symbols }: Extraction): string[] {
  const named = references
    .filter(({ kind }) => kind !== 'usage')
    .map(({ kind, receiver, name, from, line }) => {
      const inside = from === null ? '(file)' : symbols[from]?.qualified
      return `${line} ${inside} ${kind} ${receiver === null ? '' : `${receiver}.`}${name}`
    })
  return [
    ...links.map(
      ({ kind, local, original, source, line }) => `${line} ${kind} ${local} = ${original} of ${source ?? 'this file'}`,
    ),
    ...named,
  ]
}

test.each(tables)('$file ($table): extracts the expected symbols and edges', async ({ file, text, symbols, edges }) => {
  const { found } = await reader.read(languageOf(file), text)
  expect(symbolLines(found).join('\n')).toBe(symbols)
  expect(edgeLines(found).join('\n')).toBe(edges)
})

test('every language with symbols has a table, and every excerpt names its source', () => {
  const read = new Set(tables.map(({ file }) => languageOf(file)?.id))
  expect(languages.filter((language) => hasSymbols(language) && !read.has(language.id)).map(({ id }) => id)).toEqual([])
  expect(tables.filter(({ source }) => source === '')).toEqual([])
  expect(notices).toEqual([])
})

test('the tables cover every kind of symbol and edge', async () => {
  const symbols = new Set<string>()
  const edges = new Set<string>()
  for (const { file, text } of tables) {
    const { found } = await reader.read(languageOf(file), text)
    for (const { kind, parent } of found.symbols) {
      symbols.add(kind)
      if (parent !== null) edges.add('contains')
    }
    // A link is both a symbol of its file (extractionWriter.ts) and an edge.
    for (const { kind } of found.links) {
      symbols.add(kind)
      edges.add(kind)
    }
    for (const { kind } of found.references) edges.add(kind)
  }
  expect([...symbols].toSorted()).toEqual(symbolKinds.toSorted())
  expect([...edges].toSorted()).toEqual(edgeKinds.toSorted())
})
