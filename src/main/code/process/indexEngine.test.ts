import { open, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createEngine } from './indexEngine.ts'
import type { IndexDamaged } from '../index/indexErrors.ts'

test('an index without a file list is incomplete', async () => {
  const folder = await temporaryFolder({ 'a.ts': 'export const a = 1\n' })
  const grammars = fileURLToPath(new URL('../../../../resources/grammars', import.meta.url))
  const engine = createEngine({
    root: folder.root,
    database: path.join(folder.root, 'index.db'),
    grammars,
    onNotice: () => undefined,
  })
  try {
    expect(engine.status().state).toBe('symbols')
    engine.setFiles('a.ts')
    await expect.poll(() => engine.status()).toMatchObject({ state: 'ready', done: 1, symbols: 1 })
  } finally {
    await engine.close()
    await folder.remove()
  }
})

const grammars = fileURLToPath(new URL('../../../../resources/grammars', import.meta.url))
/** Headings are symbols and need no grammar. */
const large = (name: string, count = 500): string =>
  Array.from({ length: count }, (_, at) => `# ${name}${at}\n\nSome words about ${name}.\n\n`).join('')

test('keeps answering with a full disk, reports it once, and continues indexing when there is space', async () => {
  const folder = await temporaryFolder({
    'a.md': '# first\n',
    'b.md': large('big'),
    'c.md': large('other'),
    'd.md': large('third'),
    'e.md': '# last\n',
  })
  const notices: string[] = []
  // Beyond this limit, SQLite fails as on a full disk.
  const engine = createEngine({
    root: folder.root,
    database: path.join(folder.root, 'index.db'),
    grammars,
    maxBytes: 320_000,
    retryDelays: [10],
    onNotice: (message) => notices.push(message),
  })
  try {
    engine.setFiles(['a.md', 'b.md', 'c.md', 'd.md', 'e.md'].join('\0'))
    await expect.poll(() => notices.length).toBe(1)
    expect(notices[0]).toBe(
      'The code index could not be written: database or disk is full. Free up space on the disk with the user data folder; indexing then continues. Use a text search meanwhile.',
    )
    expect(engine.status().state).toBe('symbols')
    expect(await engine.search({ query: 'first', limit: 5 })).toMatchObject([{ name: 'first' }])
    expect(await engine.search({ query: 'big7', limit: 1 })).toMatchObject([{ name: 'big7' }])
    await expect(engine.refresh(['d.md'])).rejects.toMatchObject({ code: 'no_space' })
    engine.setFiles(['a.md', 'd.md', 'e.md'].join('\0'))
    await expect.poll(() => engine.status()).toMatchObject({ state: 'ready', files: 3, symbols: 502 })
    expect(await engine.search({ query: 'third499', limit: 1 })).toMatchObject([{ name: 'third499' }])
    expect(notices).toHaveLength(1)
  } finally {
    await engine.close()
    await folder.remove()
  }
})

test('forgets the references of a file that changed', async () => {
  const folder = await temporaryFolder({
    'a.ts': 'export function target() {}\n',
    'b.ts': "import { target } from './a.ts'\nexport function caller() {\n  target()\n}\n",
  })
  const engine = createEngine({
    root: folder.root,
    database: path.join(folder.root, 'index.db'),
    grammars,
    onNotice: () => undefined,
  })
  const callers = async () => {
    const found = await engine.graph({ id: 'a.ts::target#function', kind: 'call', limit: 10 })
    return found?.edges.map(({ symbol }) => symbol?.name)
  }
  try {
    await engine.refresh(['a.ts', 'b.ts'])
    expect(await callers()).toEqual(['caller'])
    await writeFile(path.join(folder.root, 'b.ts'), 'export function caller() {}\n')
    await engine.refresh(['b.ts'])
    expect(await callers()).toEqual([])
  } finally {
    await engine.close()
    await folder.remove()
  }
})

test('detects a database damaged while open, and the next engine rebuilds it', async () => {
  // More than SQLite keeps in memory.
  const words = Array.from({ length: 6000 }, (_, line) =>
    Array.from({ length: 10 }, (_word, at) => `w${(line * 7919 + at * 104_729) % 1_000_003}q`).join(' '),
  )
  const folder = await temporaryFolder({
    'a.txt': words.join('\n'),
    'b.txt': words.toReversed().join('\n'),
    'c.md': '# changed\n',
  })
  const database = path.join(folder.root, 'index.db')
  const damage = Promise.withResolvers<IndexDamaged>()
  const engine = createEngine({
    root: folder.root,
    database,
    grammars,
    onNotice: () => undefined,
    onDamaged: damage.resolve,
  })
  try {
    await engine.refresh(['a.txt', 'b.txt'])
    for (const file of [database, `${database}-wal`]) await overwrite(file, 4096)
    await writeFile(path.join(folder.root, 'a.txt'), words.slice(0, 3000).join('\n'))
    engine.setFiles(['a.txt', 'b.txt', 'c.md'].join('\0'))
    expect((await damage.promise).message).toMatch(/^its file is damaged \(.+\) and is being rebuilt$/)
    engine.closeAndDelete()
    const next = createEngine({
      root: folder.root,
      database,
      grammars,
      onNotice: (message) => expect.unreachable(message),
    })
    expect(next.status().files).toBe(0)
    await next.close()
  } finally {
    await folder.remove()
  }
})

async function overwrite(file: string, from: number): Promise<void> {
  const { size } = await stat(file)
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(Math.max(0, size - from), 0xa5), 0, undefined, from)
  await handle.close()
}
