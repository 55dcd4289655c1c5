import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createGrammars } from './grammars.ts'
import { languageOf, languages } from './languages.ts'
import { queryMatches } from './queryMatches.ts'

const grammars = createGrammars(path.join(import.meta.dirname, '../../../../resources/grammars'))

const texts: Record<string, string> = {
  'a.js': `import fs, { a as b } from 'fs'\nconst { c } = require('c')\nexports.d = function () {}\nmodule.other = () => c.d(b)\nclass É extends fs.E { #f = () => '日本' }\n`,
  'b.ts': `export interface A<T> extends B { c: T }\nfunction d({ e, f: g }: A<string>) {\n  return e?.h(g as C)\n}\n`,
  'c.rb': `require 'd'\nclass A < B\n  attr_reader :c\n  def e = f(:g)\nend\n`,
  'd.json': `{ "a": { "b": [{ "c": 1 }] } }`,
  'e.py': '',
}

test.each(Object.keys(texts))('matches of a query are those of web-tree-sitter: %s', async (file) => {
  const text = texts[file] ?? ''
  const language = languageOf(file)
  const grammar = language && (await grammars.get(language))
  if (!grammar) return expect.unreachable(file)
  grammar.parser.setLanguage(grammar.language)
  const tree = grammar.parser.parse(text)
  if (!tree) return expect.unreachable(file)
  const maxStartDepth = grammar.keys?.treeDepth ?? 100
  const expected = grammar
    .queryFor(text)
    .matches(tree.rootNode, { maxStartDepth })
    .map(({ patternIndex, captures }) => ({
      patternIndex,
      captures: captures.map(({ name, node }) => ({
        name,
        text: node.text,
        type: node.type,
        parent: node.parent?.id,
        place: [node.startIndex, node.endIndex, node.startPosition.row, node.startPosition.column],
      })),
    }))
  const found = queryMatches(grammar.engine, grammar.queryFor(text), tree, text, {
    maxStartDepth,
    isExpired: () => false,
  })
  expect(
    found.map(({ patternIndex, captures }) => ({
      patternIndex,
      captures: captures.map((capture) => ({
        name: capture.name,
        text: capture.text,
        type: capture.node.type,
        parent: capture.node.parent?.id,
        place: [capture.startIndex, capture.endIndex, capture.row, capture.column],
      })),
    })),
  ).toEqual(expected)
  expect(found.length === 0).toBe(text === '')
  tree.delete()
})

test('a query stops when its time has expired', { timeout: 20_000 }, async () => {
  const language = languageOf('a.js')
  const grammar = language && (await grammars.get(language))
  if (!grammar) return expect.unreachable('JavaScript')
  grammar.parser.setLanguage(grammar.language)
  const text = 'f(a)\n'.repeat(5000)
  const tree = grammar.parser.parse(text)
  if (!tree) return expect.unreachable('no tree')
  const all = queryMatches(grammar.engine, grammar.queryFor(text), tree, text, { isExpired: () => false })
  const some = queryMatches(grammar.engine, grammar.queryFor(text), tree, text, { isExpired: () => true })
  expect(some.length).toBeLessThan(all.length)
  tree.delete()
})

test('a pattern of a conditional query only matches texts with its words', async () => {
  const folder = path.join(import.meta.dirname, '../../../../resources/grammars')
  const conditional = languages.flatMap(({ grammar }) => (grammar?.conditional ? [grammar.conditional] : []))
  expect(conditional.length).toBeGreaterThan(0)
  for (const { query, when } of conditional) {
    const lines = (await readFile(path.join(folder, `${query}.scm`), 'utf8')).split('\n')
    const patterns = lines.filter((line) => line.startsWith('('))
    expect(patterns.length).toBeGreaterThan(0)
    // The word stands in a predicate of the pattern, without which it would also match other texts.
    for (const pattern of patterns) expect(/\(#(?:eq|match)\? .*$/.exec(pattern)?.[0]).toMatch(when)
  }
})
