import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openIndexedFolder, type IndexedFolder } from '../testing/indexedFolder.ts'
import type { FakeEditor } from '../tools/testing/toolContext.ts'
import type { CodeIndex } from './codeIndex.ts'
import { planRename, type RenameDeps } from './renamePlan.ts'

const files = {
  'src/hash.ts':
    '/** A hash of a text. */\nexport function hash(text: string): string\nexport function hash(text: unknown): string {\n  return String(text)\n}\n',
  'src/users.ts':
    "import { hash } from './hash'\n\nexport const tools = { hash, other: 1 }\nexport const ids = ['a'].map(hash)\nexport function id(name: string): string {\n  return hash(name)\n}\n",
  'src/lines.ts': "import {\n  hash as h,\n} from './hash'\n\nh('x')\n",
  'src/again.ts': "export { hash } from './hash'\n",
  'src/other.ts':
    'const map = { hash: 1 }\nfunction local(hash: number): number {\n  return hash\n}\nlocal(map.hash)\n',
  'notes.md': 'The hash is short.\n',
  'tools/store.py': 'class Store:\n    def put(self, item):\n        pass\n',
  'tools/use.py': 'def use(thing):\n    thing.put(1)\n',
}
const { signal } = new AbortController()

let folder: IndexedFolder
let editor: FakeEditor
let parts: RenameDeps & { code: CodeIndex }

beforeAll(async () => {
  folder = await openIndexedFolder(files, { watched: true })
  editor = folder.editor
  parts = folder
  const { code } = folder
  await vi.waitFor(async () => expect((await code.status()).state).toBe('ready'), { timeout: 50_000 })
}, 60_000)
afterAll(() => folder.close(), 60_000)

/** `path:line:column kind replacement` of each occurrence. */
async function planned(place: { path: string; line: number; column: number }, newName = 'digest'): Promise<string[]> {
  const plan = await planRename(parts, place, newName, signal)
  return plan.files.flatMap(({ path, occurrences }) =>
    occurrences.map(({ line, column, kind, replacement }) => `${path}:${line}:${column} ${kind} ${replacement}`),
  )
}

describe('a rename', () => {
  it('includes the definition, overloads, imports, aliases and exports, and lists other mentions separately', async () => {
    expect((await planned({ path: 'src/hash.ts', line: 3, column: 18 })).toSorted()).toEqual([
      'notes.md:1:5 mention digest',
      'src/again.ts:1:10 reference digest',
      'src/again.ts:1:25 mention digest',
      'src/hash.ts:1:7 mention digest',
      'src/hash.ts:2:17 definition digest',
      'src/hash.ts:3:17 definition digest',
      'src/lines.ts:2:3 reference digest',
      'src/lines.ts:3:11 mention digest',
      'src/other.ts:1:15 mention digest',
      'src/other.ts:2:16 mention digest',
      'src/other.ts:3:10 mention digest',
      'src/other.ts:5:11 mention digest',
      'src/users.ts:1:10 reference digest',
      'src/users.ts:1:25 mention digest',
      'src/users.ts:3:24 reference hash: digest',
      'src/users.ts:4:30 reference digest',
      'src/users.ts:6:10 reference digest',
    ])
  })

  it('is the same from a reference, and includes unsaved text', async () => {
    editor.tabs.set('src/users.ts', { text: `// new\n${files['src/users.ts']}`, dirty: true, stamp: 'x' })
    const found = await planned({ path: 'src/users.ts', line: 7, column: 11 })
    expect(found).toContain('src/users.ts:7:10 reference digest')
    expect(found).toContain('src/hash.ts:3:17 definition digest')
    editor.tabs.delete('src/users.ts')
  })

  it('lists files that already contain the new name', async () => {
    const plan = await planRename(parts, { path: 'src/hash.ts', line: 3, column: 18 }, 'tools', signal)
    expect(plan.taken).toEqual(['src/users.ts'])
  })
})

describe('a rename is refused', () => {
  it.each([
    ['an invalid name', { path: 'src/hash.ts', line: 3, column: 18 }, 'two words', 'invalid_arguments'],
    ['the same name', { path: 'src/hash.ts', line: 3, column: 18 }, 'hash', 'no_change'],
    ['a match by name only', { path: 'tools/use.py', line: 2, column: 12 }, 'add', 'ambiguous_match'],
    ['an alias', { path: 'src/lines.ts', line: 5, column: 1 }, 'k', 'ambiguous_match'],
    ['a position without a name', { path: 'notes.md', line: 2, column: 1 }, 'k', 'not_found'],
  ])('for %s', async (_, place, newName, code) => {
    await expect(planRename(parts, place, newName, signal)).rejects.toMatchObject({
      code,
      next: expect.stringMatching(/./),
    })
  })

  it('while the index is not complete', async () => {
    const building: RenameDeps = {
      ...parts,
      code: {
        ...parts.code,
        status: async () => ({ ...(await parts.code.status()), state: 'symbols', done: 1, total: 9 }),
      },
    }
    await expect(
      planRename(building, { path: 'src/hash.ts', line: 3, column: 18 }, 'digest', signal),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: 'The code index is not complete yet: 1 of 9 files.',
    })
  })
})
