import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { extract } from './extract.ts'
import { createGrammars } from './grammars.ts'
import { languageOf, languages } from './languages.ts'
import type { Extraction } from './symbols.ts'

const grammars = createGrammars(fileURLToPath(new URL('../../../resources/grammars', import.meta.url)))

async function read(file: string, text: string): Promise<Extraction> {
  const language = languageOf(file)
  const grammar = language && (await grammars.get(language))
  if (!grammar) throw new Error(`${file} has no grammar.`)
  return extract(grammar, text)
}
const definitions = ({ symbols }: Extraction) => symbols.map(({ kind, qualified, range }) => `${kind} ${qualified} ${range.line}-${range.endLine}`)
const references = ({ references: found, symbols }: Extraction) =>
  found.filter(({ kind }) => kind !== 'usage').map(({ kind, receiver, name, from }) => `${from === null ? '' : symbols[from]?.qualified} ${kind} ${receiver === null ? '' : `${receiver}.`}${name}`.trim())
const links = ({ links: found }: Extraction) => found.map(({ kind, local, original, source }) => `${kind} ${local} = ${original} of ${source}`)

// Each text is a piece of a real program, shortened: zustand, express, and Python's own json and pathlib modules.
const cases: readonly { file: string; text: string; definitions: string[]; references: string[]; links?: string[] }[] = [
  {
    file: 'vanilla.ts',
    text: `import type { Mutate } from './types'
export interface StoreApi<T> {
  setState: SetStateInternal<T>
  subscribe(listener: Listener): () => void
}
type Listener = () => void
const createStoreImpl: CreateStoreImpl = (createState) => {
  const listeners: Set<Listener> = new Set()
  const setState = (partial) => {
    listeners.forEach((listener) => listener(state))
  }
  return Object.assign(createState(setState), { setState })
}
export const createStore = ((createState) => createState ? createStoreImpl(createState) : createStoreImpl) as CreateStore
enum Level { Debug, Info = 2 }
namespace Tools { export function trim(): void {} }
abstract class Shape extends Base implements Drawable {
  private size = 1
  abstract area(): number
  draw(): void { this.area(); render(this.size) }
}
`,
    definitions: [
      'interface StoreApi 2-5', 'property StoreApi.setState 3-3', 'method StoreApi.subscribe 4-4', 'type Listener 6-6', 'function createStoreImpl 7-13',
      'function createStoreImpl.setState 9-11', 'constant createStore 14-14', 'enum Level 15-15', 'enum_member Level.Debug 15-15', 'enum_member Level.Info 15-15',
      'namespace Tools 16-16', 'function Tools.trim 16-16', 'class Shape 17-21', 'property Shape.size 18-18', 'method Shape.area 19-19', 'method Shape.draw 20-20',
    ],
    references: [
      'createStoreImpl call Set', 'createStoreImpl.setState call (listeners).forEach', 'createStoreImpl call Object.assign', 'createStore call createStoreImpl',
      'Shape extends Base', 'Shape implements Drawable', 'Shape.draw call this.area', 'Shape.draw call render',
    ],
    links: ['import Mutate = Mutate of ./types'],
  },
  {
    file: 'Button.tsx',
    text: `import React, { useState as state } from 'react'
import * as styles from './styles'
export default function Button({ label }: Props) { const [on] = state(false); return <Icon name={styles.plain(label)} /> }
export { Icon as Picture } from './Icon'
export * from './parts'
`,
    definitions: ['function Button 3-3'],
    references: ['Button call state', 'Button call styles.plain'],
    links: [
      'import React = default of react', 'import state = useState of react', 'import styles = * of ./styles', 'export default = Button of null',
      'export Picture = Icon of ./Icon', 'export * = * of ./parts',
    ],
  },
  {
    file: 'response.js',
    text: `var mime = require('send').mime;
var res = Object.create(http.ServerResponse.prototype)
res.status = function status(code) {
  this.statusCode = code;
  return this;
};
function sendfile(res, file, callback) { var done = false; file.pipe(res); onfinish(done) }
class View extends Base { static cache = {}; lookup(name) { return super.lookup(name) } }
module.exports.escape = function (html) { return escapeHtml(html) }
`,
    definitions: [
      'variable mime 1-1', 'variable res 2-2', 'method res.status 3-6', 'function sendfile 7-7', 'class View 8-8', 'property View.cache 8-8', 'method View.lookup 8-8', 'function escape 9-9',
    ],
    references: ['mime call require', 'res call Object.create', 'sendfile call (file).pipe', 'sendfile call onfinish', 'View extends Base', 'View.lookup call super.lookup', 'escape call escapeHtml'],
    links: [],
  },
  {
    file: 'decoder.py',
    text: `import re
from json import scanner as s, encoder
FLAGS = re.VERBOSE | re.MULTILINE
class JSONDecodeError(ValueError):
    """Subclass of ValueError with the following additional properties."""
    colno = 0
    def __init__(self, msg, doc, pos):
        lineno = doc.count('\\n', 0, pos) + 1
        ValueError.__init__(self, msg)
        self.report(lineno)
    def report(self, lineno): pass
def py_scanstring(s, end, _m=STRINGCHUNK.match):
    # Not a docstring
    chunk = _m(s, end)
    return encoder.encode(chunk)
`,
    definitions: [
      'constant FLAGS 3-3', 'class JSONDecodeError 4-11', 'property JSONDecodeError.colno 6-6', 'method JSONDecodeError.__init__ 7-10', 'method JSONDecodeError.report 11-11',
      'function py_scanstring 12-15',
    ],
    references: [
      'JSONDecodeError extends ValueError', 'JSONDecodeError.__init__ call (doc).count', 'JSONDecodeError.__init__ call ValueError.__init__', 'JSONDecodeError.__init__ call self.report',
      'py_scanstring call encoder.encode',
    ],
    links: ['import re = * of re', 'import s = scanner of json', 'import encoder = encoder of json'],
  },
]

test.each(cases)('$file: what it defines and refers to', async ({ file, text, ...expected }) => {
  const found = await read(file, text)
  expect(found.broken).toBe(false)
  expect(definitions(found)).toEqual(expected.definitions)
  expect(references(found)).toEqual(expected.references)
  if (expected.links) expect(links(found)).toEqual(expected.links)
})

test('a symbol has its signature, its comment and the range of its body', async () => {
  const { symbols } = await read('a.ts', `/**\n * Adds two numbers.\n * @returns the sum\n */\nexport async function add(a: number,\n  b: number): Promise<number> {\n  return a + b\n}\n\n// Not about it.\n\nconst x = 1 // One.\n`)
  expect(symbols[0]).toMatchObject({
    signature: 'async function add(a: number, b: number): Promise<number>',
    doc: 'Adds two numbers.\n@returns the sum',
    exported: true,
    range: { line: 5, column: 8, endLine: 8, endColumn: 2 },
    body: { line: 6, endLine: 8 },
  })
  expect(symbols[1]).toMatchObject({ name: 'x', doc: '' })
  const python = await read('a.py', `def add(a, b):\n    """Adds two numbers.\n\n    The sum."""\n    return a + b\n`)
  expect(python.symbols[0]).toMatchObject({ signature: 'def add(a, b)', doc: 'Adds two numbers.\n\nThe sum.' })
})

test('a text with errors still gives what can be read', async () => {
  const found = await read('a.ts', 'function whole() {}\nfunction broken( {\nclass')
  expect(found.broken).toBe(true)
  expect(found.symbols.map(({ name }) => name)).toContain('whole')
})

test('at least fifty languages are known by name', () => {
  expect(new Set(languages.map(({ id }) => id)).size).toBeGreaterThanOrEqual(50)
  expect(languageOf('lib/Makefile')?.title).toBe('Makefile')
  expect(languageOf('a/b.test.MTS')?.title).toBe('TypeScript')
  expect(languageOf('notes')).toBeUndefined()
  const extensions = languages.flatMap((language) => language.extensions)
  expect(extensions.filter((extension, index) => extensions.indexOf(extension) !== index)).toEqual([])
})

test.each(languages.filter(({ grammar }) => grammar))('$title: grammar and tag query fit together', async (language) => {
  expect(await grammars.get(language)).not.toBeNull()
})
