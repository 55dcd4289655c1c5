import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { roundsOf, seededRandom, type SeededRandom } from '../../testing/longForm.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createEngine, type Engine } from '../process/indexEngine.ts'
import { copyClosedIndex } from './indexCopy.ts'
import { indexVersion } from './indexSchema.ts'

const grammars = path.join(import.meta.dirname, '../../../../resources/grammars')
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const textOf = (at: number, name = 'same'): string =>
  `import { f${at + 1} } from './f${at + 1}.ts'\n/** Number ${at}. */\nexport function f${at}() {\n  return f${at + 1}(${name})\n}\nexport const ${name} = ${at % 10}\n`

async function makeFolder(files: Record<string, string>): Promise<string> {
  const { root, remove } = await temporaryFolder(files)
  closing.push(remove)
  return root
}

async function filesIn(root: string): Promise<string[]> {
  return (await readdir(root)).toSorted()
}

function open(root: string, database: string, copyOf?: string): Engine {
  const onNotice = (notice: string) => expect.unreachable(notice)
  return createEngine({ root, database, grammars, onNotice, ...(copyOf !== undefined && { copyOf }) })
}

async function indexAll(engine: Engine, root: string): Promise<void> {
  const files = await filesIn(root)
  engine.setFiles(files.join('\0'))
  await expect.poll(() => engine.status(), { timeout: 30_000, interval: 5 }).toMatchObject({ state: 'ready' })
}

/** Returns what an index has for each file, whatever its id. */
function contentOf(database: string): Record<string, unknown> {
  const db = new DatabaseSync(database)
  const all = (sql: string) => db.prepare(sql).all()
  for (const table of ['symbol_text', 'passage_text', 'path_text'])
    db.exec(`CREATE VIRTUAL TABLE temp.words_${table} USING fts5vocab(main, ${table}, instance)`)
  const content = {
    files: all('SELECT path, language, size, mtime, hash, problem, words FROM files ORDER BY path'),
    symbols: all('SELECT path, r.* FROM symbol_rows r JOIN files f ON f.id = r.file ORDER BY path, nth'),
    references: all('SELECT path, bytes FROM refs r JOIN files f ON f.id = r.file ORDER BY path'),
    mentions: all('SELECT r.hash, path, kinds FROM mentions r JOIN files f ON f.id = r.file ORDER BY r.hash, path'),
    links: all('SELECT path, r.* FROM link_rows r JOIN files f ON f.id = r.file ORDER BY path, nth'),
    symbolWords: all(
      'SELECT path, w.doc & 1048575 AS nth, w.term, w.col FROM temp.words_symbol_text w JOIN files f ON f.id = w.doc >> 20 ORDER BY path, nth, term, col, offset',
    ),
    passages: all(
      'SELECT path, p.nth, symbol, line, end_line FROM passages p JOIN files f ON f.id = p.file ORDER BY path, p.nth',
    ),
    passageWords: all(
      'SELECT path, w.doc & 4095 AS nth, w.term, w.col FROM temp.words_passage_text w JOIN files f ON f.id = w.doc >> 12 ORDER BY path, nth, term, col, offset',
    ),
    pathWords: all('SELECT path, w.term FROM temp.words_path_text w JOIN files f ON f.id = w.doc ORDER BY path, term'),
  }
  db.close()
  return Object.fromEntries(
    Object.entries(content).map(([name, rows]) => [name, rows.map(({ file: _file, ...row }) => row)]),
  )
}

const editors: ((root: string, random: SeededRandom) => Promise<void>)[] = [
  // The same size.
  async (root, random) =>
    writeFile(path.join(root, random.pick(await filesIn(root))), textOf(random.integer(10), 'sum_')),
  async (root, random) => writeFile(path.join(root, random.pick(await filesIn(root))), '# Words\n\nand more words\n'),
  async (root, random) => writeFile(path.join(root, `new${random.integer(20)}.ts`), textOf(random.integer(10))),
  async (root, random) => rm(path.join(root, random.pick(await filesIn(root)))),
  async (root, random) =>
    rename(path.join(root, random.pick(await filesIn(root))), path.join(root, `f${random.integer(20)}.ts`)),
  // Another text with the size and time that the other index knows.
  async (root, random) => {
    const file = path.join(root, random.pick(await filesIn(root)))
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('same', 'sane'))
    await utimes(file, 1000, 1000)
  },
]

const random = seededRandom()

test.each(Array.from({ length: roundsOf(40) }, (_, round) => round))(
  'a copied index answers like a new one after random edits, round %i',
  { timeout: 60_000 },
  async (round) => {
    const names = Array.from({ length: 12 }, (_, at) => [`f${at}.ts`, textOf(at)] as const)
    const origin = await makeFolder({ ...Object.fromEntries(names), 'notes.md': '# Notes\n\nabout f1\n' })
    for (const name of await filesIn(origin)) await utimes(path.join(origin, name), 1000, 1000)
    const data = await makeFolder({})
    const [first, copied, fresh] = ['first', 'copied', 'fresh'].map((name) => path.join(data, `${name}.db`))
    const engine = open(origin, first ?? '')
    const worktree = await makeFolder({})
    await cp(origin, worktree, { recursive: true, preserveTimestamps: round % 3 === 0 })
    if (round % 2 === 0) {
      // While the other process is indexing.
      engine.setFiles((await filesIn(origin)).join('\0'))
      await vi.waitUntil(() => engine.status().files > round % 12, { interval: 1, timeout: 30_000 })
      await engine.copyTo(copied ?? '')
      await engine.close()
    } else {
      await indexAll(engine, origin)
      await engine.setBuffers([{ path: 'f3.ts', text: textOf(4) }])
      await engine.close()
    }
    for (let edits = random.integer(6); edits > 0; edits--) await random.pick(editors)(worktree, random)

    const ofCopy = open(worktree, copied ?? '', first)
    await indexAll(ofCopy, worktree)
    const ofFresh = open(worktree, fresh ?? '')
    await indexAll(ofFresh, worktree)
    const answers = async (of: Engine) => ({
      found: (await of.search({ query: 's', limit: 100 })).map(({ symbol_id }) => symbol_id).toSorted(),
      words: of
        .searchText({ words: ['number'], limit: 100 })
        .map(({ symbol_id }) => symbol_id)
        .toSorted(),
      calls: (await of.graph({ id: 'f2.ts::f2#function', kind: 'call', limit: 50 }))?.total,
      status: of.status(),
    })
    expect(await answers(ofCopy)).toEqual(await answers(ofFresh))
    await Promise.all([ofCopy.close(), ofFresh.close()])
    expect(contentOf(copied ?? '')).toEqual(contentOf(fresh ?? ''))
  },
)

async function closedIndex(files: Record<string, string>): Promise<{ root: string; data: string; database: string }> {
  const [root, data] = await Promise.all([makeFolder(files), makeFolder({})])
  const database = path.join(data, 'first.db')
  const engine = open(root, database)
  await indexAll(engine, root)
  await engine.close()
  return { root, data, database }
}

/** Opens an index that should start as a copy. @returns the number of its files before it has read any */
async function filesAtStart(root: string, data: string, copyOf: string): Promise<number> {
  const engine = open(root, path.join(data, 'copied.db'), copyOf)
  const { files } = engine.status()
  await indexAll(engine, root)
  expect(await engine.search({ query: 'f0', limit: 1 })).toMatchObject([{ name: 'f0', path: 'f0.ts' }])
  await engine.close()
  expect((await readdir(data)).filter((name) => name.includes('.copy'))).toEqual([])
  return files
}

test('a new index starts as a copy', async () => {
  const { root, data, database } = await closedIndex({ 'f0.ts': textOf(0) })
  expect(await filesAtStart(root, data, database)).toBe(1)
})

test('an index that exists is not replaced by a copy', async () => {
  const { root, data, database } = await closedIndex({ 'f0.ts': textOf(0) })
  await cp(database, path.join(data, 'copied.db'))
  const other = await closedIndex({ 'f0.ts': textOf(0), 'f1.ts': textOf(1) })
  expect(await filesAtStart(root, data, other.database)).toBe(1)
})

test('an index with a log of another one starts without a copy', async () => {
  const { root, data, database } = await closedIndex({ 'f0.ts': textOf(0) })
  await writeFile(path.join(data, 'copied.db-wal'), 'log')
  expect(await filesAtStart(root, data, database)).toBe(0)
})

test.each<[string, (database: string) => Promise<unknown>]>([
  ['is missing', (database) => rm(database)],
  ['is no database', (database) => writeFile(database, 'x'.repeat(100_000))],
  ['is empty', (database) => writeFile(database, '')],
  ['is of another version', async (database) => change(database, `PRAGMA user_version = ${indexVersion - 1}`)],
  ['lacks a table', async (database) => change(database, 'DROP TABLE files')],
  ['is open in another process', async (database) => keepOpen(database)],
])('an index that %s is not copied', async (_, damage) => {
  const { root, data, database } = await closedIndex({ 'f0.ts': textOf(0) })
  await damage(database)
  expect(await filesAtStart(root, data, database)).toBe(0)
})

function change(database: string, sql: string): void {
  const db = new DatabaseSync(database)
  db.exec(sql)
  db.close()
}

function keepOpen(database: string): void {
  const db = new DatabaseSync(database)
  db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT')
  closing.push(async () => db.close())
}

test('damage in a copied index is found at a request, or when it is opened again', { timeout: 30_000 }, async () => {
  const { root, data, database } = await closedIndex(
    Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.ts`, textOf(at)])),
  )
  const content = await readFile(database)
  // The first page has the version.
  content.fill(7, 3 * 8192, content.length - 8192)
  await writeFile(database, content)
  const copied = path.join(data, 'copied.db')
  copyClosedIndex(database, copied)
  const notices: string[] = []
  const reopen = () =>
    createEngine({
      root,
      database: copied,
      grammars,
      onNotice: (notice) => notices.push(notice),
      onDamaged: () => undefined,
    })
  try {
    const engine = reopen()
    engine.setFiles((await filesIn(root)).join('\0'))
    await engine.close()
  } catch {
    // As the process that ends then does.
  }
  const engine = reopen()
  await indexAll(engine, root)
  expect((await engine.search({ query: 'f', limit: 500 })).filter(({ kind }) => kind === 'function')).toHaveLength(200)
  await engine.close()
})

test('a copied index names no callers and definitions that only the repository has', async () => {
  const { root, data, database } = await closedIndex({
    'a.ts': 'export function target() {}\n',
    'b.ts': "import { target } from './a.ts'\nexport function caller() {\n  target()\n}\n",
    'c.ts': "import { caller } from './b.ts'\ncaller()\n",
  })
  const worktree = await makeFolder({})
  await cp(root, worktree, { recursive: true })
  // As long as before, so that only its text differs.
  await writeFile(
    path.join(worktree, 'b.ts'),
    "import { target } from './a.ts'\nexport function calles() {\n  tarset()\n}\n",
  )
  const engine = open(worktree, path.join(data, 'copied.db'), database)
  // No list of files yet, so that nothing is compared in the background.
  expect(await engine.graph({ id: 'a.ts::target#function', kind: 'call', limit: 10 })).toEqual({ edges: [], total: 0 })
  const word = { text: 'caller', column: 1, receiver: null }
  const cursor = { path: 'c.ts', line: 2, column: 1, word, module: null, before: [''] }
  expect((await engine.definition(cursor))?.targets).toEqual([])
  expect((await engine.references({ cursor, limit: 10 })).places.map(({ path: place }) => place)).not.toContain('b.ts')
  await engine.close()
})

test('an index that is open stays locked for other processes after it was copied', { timeout: 30_000 }, async () => {
  const root = await makeFolder({ 'a.ts': textOf(1) })
  const database = path.join(await makeFolder({}), 'index.db')
  const engine = open(root, database)
  await indexAll(engine, root)
  const use = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(database)}, { timeout: 0 }).exec('BEGIN IMMEDIATE')`
  const tryIt = () => spawnSync(process.execPath, ['-e', use], { encoding: 'utf8' }).stderr
  expect(tryIt()).toContain('database is locked')
  await engine.copyTo(`${database}.copied`)
  expect(existsSync(`${database}.copied`)).toBe(true)
  expect(tryIt()).toContain('database is locked')
  await engine.close()
})

test('two copies at once are both made', async () => {
  const root = await makeFolder({ 'a.ts': textOf(1) })
  const database = path.join(await makeFolder({}), 'index.db')
  const engine = open(root, database)
  await indexAll(engine, root)
  const copies = ['one', 'two'].map((name) => `${database}.${name}`)
  const copied = copies.map((copy) => engine.copyTo(copy))
  await engine.close()
  await Promise.all(copied)
  expect(copies.filter((copy) => existsSync(copy))).toEqual(copies)
})

test('a process that is killed while it copies leaves no part of an index', { timeout: 120_000 }, async () => {
  const { root, data, database } = await closedIndex(
    Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}.ts`, textOf(at)])),
  )
  const copied = path.join(data, 'copied.db')
  const module = pathToFileURL(path.join(import.meta.dirname, 'indexCopy.ts')).href
  const script = `const { copyClosedIndex } = await import(${JSON.stringify(module)})
    process.stdout.write('x')
    copyClosedIndex(${JSON.stringify(database)}, ${JSON.stringify(copied)})`
  for (let round = 0; round < roundsOf(40); round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exit = once(child, 'exit')
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, round % 20))
    child.kill('SIGKILL')
    await exit
    const engine = open(root, copied, database)
    await indexAll(engine, root)
    expect((await engine.search({ query: 'f', limit: 500 })).filter(({ kind }) => kind === 'function')).toHaveLength(
      300,
    )
    await engine.close()
    await rm(copied)
  }
})
