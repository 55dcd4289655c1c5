import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createFileReader, type FileReading } from './fileReader.ts'
import { createFileIndexer } from './fileIndexer.ts'
import { createEngine, type Engine } from '../process/indexEngine.ts'
import { openIndexStore } from './indexFile.ts'
import { readGivenFile, type FileToRead, type ReaderPool } from './readerPool.ts'
import { createRequestActivity, type RequestActivity } from './requestActivity.ts'
import { createSymbolReader } from './symbolReader.ts'
import { queryWords } from '../search/searchWords.ts'

const grammars = path.join(import.meta.dirname, '../../../../resources/grammars')

/** Enough small files for several chunks, and enough bytes for a pool. */
function manyFiles(): Record<string, string> {
  const large = `${'x'.repeat(1000)}\n`.repeat(600)
  const files: Record<string, string> = { 'large.txt': large, 'large2.txt': large }
  for (let at = 0; at < 150; at++) {
    files[`a${at}.ts`] =
      `import { f${at + 1} } from './a${at + 1}.ts'\n/** Number ${at}. */\nexport function f${at}() {\n  return f${at + 1}()\n}\nexport const same = 1\n`
    files[`b${at}.py`] = `import a.b${at}\nclass C${at}:\n    def same(self): return a.b${at}.x()\n`
  }
  return files
}

interface Opened {
  engine: Engine
  root: string
  database: string
  remove(): Promise<void>
}

async function open(
  files: Record<string, string>,
  startPool?: (root: string) => ReaderPool,
  activity?: RequestActivity,
): Promise<Opened> {
  const [folder, data] = await Promise.all([temporaryFolder(files), temporaryFolder()])
  const database = path.join(data.root, 'index.db')
  const engine = createEngine({
    root: folder.root,
    database,
    grammars,
    onNotice: (notice) => expect.unreachable(notice),
    ...(startPool && { startPool: () => startPool(folder.root) }),
    ...(activity && { activity }),
  })
  return {
    engine,
    root: folder.root,
    database,
    remove: async () => {
      await Promise.all([folder.remove(), data.remove()])
    },
  }
}

/** A pool that reads in this thread and returns waiting chunks in an order that `pick` decides. */
function inlinePool(root: string, pick: (waiting: number) => number, before?: () => Promise<unknown>): ReaderPool {
  const reader = createFileReader({ root: root }, createSymbolReader({ grammars, onNotice: expect.unreachable }))
  const waiting: { files: readonly FileToRead[]; resolve(readings: FileReading[]): void }[] = []
  let reading = false

  async function run(): Promise<void> {
    if (reading) return
    reading = true
    for (
      let next = waiting.splice(pick(waiting.length), 1)[0];
      next;
      next = waiting.splice(pick(waiting.length), 1)[0]
    ) {
      const readings: FileReading[] = []
      for (const file of next.files) readings.push(await readGivenFile(reader, file))
      await before?.()
      next.resolve(readings)
      await new Promise(setImmediate)
    }
    reading = false
  }

  return {
    size: 3,
    read: (files) =>
      new Promise((resolve) => {
        waiting.push({ files, resolve })
        setImmediate(() => void run())
      }),
    close: () => waiting.splice(0).forEach(({ resolve }) => resolve([])),
  }
}

async function contentOf({ engine, database }: Opened, paths: string[]): Promise<unknown> {
  engine.setFiles(paths.join('\0'))
  await expect.poll(() => engine.status(), { timeout: 30_000 }).toMatchObject({ state: 'ready', done: paths.length })
  const answers = [
    await engine.search({ query: 'same', limit: 30 }),
    await engine.search({ query: 'f1', limit: 30 }),
    engine.searchText({ words: ['number'], limit: 30 }),
    engine.graph({ id: 'a7.ts::f7#function', kind: 'call', limit: 10 }),
  ]
  await engine.close()
  const db = new DatabaseSync(database)
  const tables = ['symbol_rows', 'refs', 'mentions', 'link_rows', 'passages'].map((table) =>
    db.prepare(`SELECT * FROM ${table}`).all(),
  )
  const files = db.prepare('SELECT id, path, language, size, hash, problem FROM files').all()
  const words = ['symbol_text', 'passage_text', 'path_text'].map((table) => {
    db.exec(`CREATE VIRTUAL TABLE temp.words_${table} USING fts5vocab(main, ${table}, instance)`)
    return db.prepare(`SELECT * FROM temp.words_${table} ORDER BY term, doc, col, offset`).all()
  })
  db.close()
  return { answers, files, tables, words }
}

test(
  'the index is equal whether one thread reads the files or several finish in any order',
  { timeout: 60_000 },
  async () => {
    const files = manyFiles()
    const paths = Object.keys(files).toSorted()
    const alone = await open(files)
    let seed = 7
    const random = (count: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % Math.max(count, 1)
    const several = await open(files, (root) => inlinePool(root, random))
    const last = await open(files, (root) => inlinePool(root, (count) => count - 1))
    try {
      const expected = await contentOf(alone, paths)
      expect(await contentOf(several, paths)).toEqual(expected)
      expect(await contentOf(last, paths)).toEqual(expected)
    } finally {
      await Promise.all([alone.remove(), several.remove(), last.remove()])
    }
  },
)

test('a file that a request indexed meanwhile keeps its newer content', { timeout: 60_000 }, async () => {
  const files = manyFiles()
  const opened: Opened = await open(files, (root) =>
    inlinePool(
      root,
      () => 0,
      async () => {
        await writeFile(path.join(root, 'a3.ts'), 'export function newer() {}\n')
        await opened.engine.refresh(['a3.ts'])
        await opened.engine.setTexts([{ path: 'a4.ts', text: 'function unsaved() {}\n' }])
      },
    ),
  )
  const { engine } = opened
  try {
    engine.setFiles(Object.keys(files).toSorted().join('\0'))
    await expect.poll(() => engine.status().state, { timeout: 30_000 }).toBe('ready')
    expect(engine.outline('a3.ts').symbols.map(({ name }) => name)).toEqual(['newer'])
    expect(engine.outline('a4.ts').symbols.map(({ name }) => name)).toEqual(['unsaved'])
  } finally {
    await opened.engine.close()
    await opened.remove()
  }
})

/** An inline pool whose second stage waits for a promise. */
function poolWithLateWords(root: string, until: Promise<unknown>): ReaderPool {
  const pool = inlinePool(root, () => 0)
  return {
    ...pool,
    async read(files) {
      if (files.some(({ definitions }) => definitions)) await until
      return pool.read(files)
    },
  }
}

test('symbols and edges of all files are complete before words are read', { timeout: 60_000 }, async () => {
  const mayRead = Promise.withResolvers<void>()
  const opened = await open(manyFiles(), (root) => poolWithLateWords(root, mayRead.promise))
  const { engine, root } = opened
  const passagesOf = async (word: string): Promise<string[]> =>
    (await engine.passages({ words: queryWords(word), limit: 5 })).map(({ path: place }) => place)
  try {
    engine.setFiles(Object.keys(manyFiles()).toSorted().join('\0'))
    await expect.poll(() => engine.status(), { timeout: 30_000 }).toMatchObject({ state: 'words', files: 302, done: 0 })
    expect(await engine.search({ query: 'same', limit: 300 })).toHaveLength(300)
    expect(await engine.graph({ id: 'a7.ts::f7#function', kind: 'call', limit: 10 })).toMatchObject({ total: 2 })
    expect(await passagesOf('number')).toEqual([])
    // A question about words reads them at once, also if the file has not changed.
    await engine.refreshWords(['a7.ts'])
    expect(await passagesOf('number')).toEqual(['a7.ts'])
    // Changed after its symbols were read.
    await writeFile(path.join(root, 'b8.py'), '# A walrus, 8.\nclass C8: pass\n')
    mayRead.resolve()
    await expect.poll(() => engine.status(), { timeout: 30_000 }).toMatchObject({ state: 'ready', done: 302 })
    expect(await passagesOf('walrus')).toEqual(['b8.py'])
    expect(await engine.search({ query: 'same', limit: 300 })).toHaveLength(299)
    expect(await passagesOf('number')).toHaveLength(5)
  } finally {
    mayRead.resolve()
    await engine.close()
    await opened.remove()
  }
})

test('words that were not read before the end are read by the next process', { timeout: 60_000 }, async () => {
  const closed = Promise.withResolvers<void>()
  const opened = await open(manyFiles(), (root) => poolWithLateWords(root, closed.promise))
  const { engine, root, database } = opened
  const files = Object.keys(manyFiles()).toSorted().join('\0')
  engine.setFiles(files)
  await expect.poll(() => engine.status().state, { timeout: 30_000 }).toBe('words')
  const closing = engine.close()
  closed.resolve()
  await closing
  const next = createEngine({ root, database, grammars, onNotice: expect.unreachable })
  try {
    next.setFiles(files)
    await expect.poll(() => next.status(), { timeout: 30_000 }).toMatchObject({ state: 'ready', files: 302, done: 302 })
    const found = await next.passages({ words: queryWords('number'), limit: 200 })
    expect(found).toHaveLength(150)
  } finally {
    await next.close()
    await opened.remove()
  }
})

test('an index whose words could not be read stays incomplete until the next list', { timeout: 60_000 }, async () => {
  const [folder, data] = await Promise.all([temporaryFolder(manyFiles()), temporaryFolder()])
  const notices: string[] = []
  let broken = true
  const engine = createEngine({
    root: folder.root,
    database: path.join(data.root, 'index.db'),
    grammars,
    onNotice: (notice) => void notices.push(notice),
    startPool() {
      const pool = inlinePool(folder.root, () => 0)
      const fails = (files: readonly FileToRead[]) => broken && files.some(({ definitions }) => definitions)
      return { ...pool, read: (files) => (fails(files) ? Promise.reject(new Error('broken')) : pool.read(files)) }
    },
  })
  const files = Object.keys(manyFiles()).toSorted().join('\0')
  try {
    engine.setFiles(files)
    await expect.poll(() => notices, { timeout: 30_000 }).toEqual([expect.stringContaining('broken')])
    expect(engine.status()).toMatchObject({ state: 'words', done: 0, total: 302 })
    broken = false
    engine.setFiles(files)
    await expect.poll(() => engine.status(), { timeout: 30_000 }).toMatchObject({ state: 'ready', done: 302 })
  } finally {
    await engine.close()
    await Promise.all([folder.remove(), data.remove()])
  }
})

test('files that no thread could read are read by the engine', { timeout: 60_000 }, async () => {
  const files = manyFiles()
  const opened = await open(files, () => ({ size: 2, read: () => Promise.resolve([]), close: () => undefined }))
  const { engine } = opened
  try {
    engine.setFiles(Object.keys(files).toSorted().join('\0'))
    await expect
      .poll(() => engine.status(), { timeout: 30_000 })
      .toMatchObject({ state: 'ready', files: 302, done: 302 })
  } finally {
    await opened.engine.close()
    await opened.remove()
  }
})

test('threads start when the running request has ended', { timeout: 60_000 }, async () => {
  const files = manyFiles()
  const waiting = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let pools = 0
  const startPool = (root: string): ReaderPool => {
    pools++
    return inlinePool(root, () => 0)
  }
  const opened = await open(files, startPool, {
    ...createRequestActivity(),
    quiet() {
      waiting.resolve()
      return answered.promise
    },
  })
  const { engine } = opened
  try {
    engine.setFiles(Object.keys(files).toSorted().join('\0'))
    await waiting.promise
    expect(pools).toBe(0)
    expect(await engine.search({ query: 'same', limit: 5 })).toEqual([])
    answered.resolve()
    await expect.poll(() => engine.status(), { timeout: 30_000 }).toMatchObject({ state: 'ready', files: 302 })
    expect(pools).toBe(1)
  } finally {
    await engine.close()
    await opened.remove()
  }
})

test('a transaction ends after its time, so that requests do not wait for a batch', async () => {
  const opened = await open({})
  const store = openIndexStore(':memory:')
  const reader = createFileReader({ root: opened.root }, createSymbolReader({ grammars, onNotice: expect.unreachable }))
  const files = createFileIndexer({ store, reader, guard: () => (read) => read() })
  try {
    const readings = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => ({
        reading: await reader.readText({ path: `${name}.md`, text: `# ${name}\n` }, 4, 1),
        started: 0,
      })),
    )
    const noTime = -1
    expect(files.store(readings, noTime)).toBe(1)
    expect(store.paths('true')).toEqual(['a.md'])
    expect(files.store(readings.slice(1))).toBe(2)
    expect(store.paths('true ORDER BY path')).toEqual(['a.md', 'b.md', 'c.md'])
  } finally {
    store.close()
    await opened.engine.close()
    await opened.remove()
  }
})
