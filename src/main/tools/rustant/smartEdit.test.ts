import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { writeTree, type FakeEditor, type RecordingJournal, type TestContext } from '../testing/toolContext.ts'
import { smartEdit } from './smartEdit.ts'
import { smartEditBench, type SmartEditBench } from '../testing/smartEditBench.ts'

const users = `import { hash } from './hash'

/** Keeps users. */
export class UserStore {
  private users: User[] = []

  /** Adds one to the list. */
  add(user: User): void {
    this.users.push(user)
  }

  // Forgets one.
  remove(user: User): void {
    this.users = this.users.filter((other) => other !== user)
  }
}

export const limit = 10;

/** Checks a password against what is stored. */
export function authenticate(name: string, password: string): boolean {
  return hash(name) === password
}

export function first(a: string): string
export function first(a: string, b?: string): string {
  return b ?? a
}
`
const files = {
  'users.ts': users,
  'tool.py':
    'class Tool:\n    @property\n    def size(self):\n        return 1\n\n    def grow(self):\n        self.size += 1\n',
  'notes.txt': 'Shopping\nmilk and bread\n\nGarden\nwater the tomatoes\n\nGarage\nrepair the old bicycle\n',
}

let bench: SmartEditBench
let folder: SmartEditBench['folder']
let editor: FakeEditor
let journal: RecordingJournal
let checkpoints: Checkpoints
let context: TestContext

const onDisk = (name: string) => bench.onDisk(name)
const edit = (args: Record<string, unknown>) => bench.edit({ path: 'users.ts', ...args })
/** The file after an edit. */
async function becomes(args: {
  path?: string
  location: string
  operation: string
  content?: string
}): Promise<string> {
  await edit(args)
  return onDisk(args.path ?? 'users.ts')
}

beforeEach(async () => {
  bench = await smartEditBench(files)
  ;({ folder, editor, journal, checkpoints, context } = bench)
})
afterEach(() => bench.dispose())

describe('smart_edit finds the location', () => {
  test('by line numbers', async () => {
    expect(await becomes({ path: 'notes.txt', location: 'line 2', operation: 'replace', content: 'eggs' })).toContain(
      'Shopping\neggs\n\nGarden',
    )
    expect(await becomes({ path: 'notes.txt', location: 'Lines 4-5', operation: 'delete' })).toBe(
      'Shopping\neggs\n\n\nGarage\nrepair the old bicycle\n',
    )
    expect(
      await becomes({ path: 'notes.txt', location: 'line 1', operation: 'insert_before', content: '# Lists\n' }),
    ).toMatch(/^# Lists\nShopping\n/)
    expect(
      await becomes({ path: 'notes.txt', location: 'line 1 to 2', operation: 'insert_after', content: 'end' }),
    ).toMatch(/^# Lists\nShopping\nend\neggs/)
    await expectFailure(edit({ path: 'notes.txt', location: 'line 99', operation: 'delete' }), 'out_of_range')
    await expectFailure(edit({ path: 'notes.txt', location: 'line 0', operation: 'delete' }), 'out_of_range')
    await expectFailure(edit({ path: 'notes.txt', location: 'lines 3-2', operation: 'delete' }), 'invalid_arguments')
  })

  test('by exact text, within a line or across several', async () => {
    expect(
      await becomes({ location: 'name: string, password', operation: 'replace', content: 'login: string, password' }),
    ).toContain('authenticate(login: string, password: string): boolean {\n')
    expect(
      await becomes({ location: '    this.users.push(user)\n', operation: 'insert_after', content: 'log(user)' }),
    ).toContain('    this.users.push(user)\n    log(user)\n  }\n')
    expect(await becomes({ location: 'return b ??', operation: 'delete' })).toContain('{\n   a\n}')
  })

  test('by the header of a definition, which selects the whole definition', async () => {
    const now = 'export function authenticate(name: string): boolean {\n  return true\n}'
    expect(await becomes({ location: 'export function authenticate', operation: 'replace', content: now })).toBe(
      users.replace(/export function authenticate[^}]*\}/, now),
    )
    const { text } = await edit({
      location: 'class UserStore',
      operation: 'insert_after',
      content: '\nexport class Other {}',
    })
    expect(text).toContain('The location is in the header of the class UserStore.')
    expect(await onDisk('users.ts')).toContain('  }\n}\n\nexport class Other {}\n\nexport const limit')
  })

  test('by the header alone if another header replaces it', async () => {
    expect(
      await becomes({
        location: 'remove(user: User): void {',
        operation: 'replace',
        content: 'remove(gone: User): void {',
      }),
    ).toContain('  remove(gone: User): void {\n    this.users =')
  })

  test('by the name of a symbol, qualified or not, and includes its comment if the operation requires it', async () => {
    expect(await becomes({ location: 'UserStore.remove', operation: 'delete' })).toContain(
      '    this.users.push(user)\n  }\n\n}\n',
    )
    expect(
      await becomes({ location: 'authenticate', operation: 'insert_before', content: '// Above the comment.' }),
    ).toContain('// Above the comment.\n/** Checks a password')
    expect(await becomes({ location: 'limit', operation: 'replace', content: 'const limit = 20' })).toContain(
      '\nexport const limit = 20;\n',
    )
    expect(
      await becomes({
        location: 'add()',
        operation: 'replace',
        content: 'add(user: User): void {\n  this.users.unshift(user)\n}',
      }),
    ).toContain('  /** Adds one to the list. */\n  add(user: User): void {\n    this.users.unshift(user)\n  }\n')
  })

  test('and indents the content like the location, whatever its own indentation', async () => {
    expect(
      await becomes({
        path: 'tool.py',
        location: 'grow',
        operation: 'replace',
        content: 'def grow(self):\n    self.size += 2',
      }),
    ).toContain('    def grow(self):\n        self.size += 2\n')
    expect(
      await becomes({
        path: 'tool.py',
        location: 'grow',
        operation: 'replace',
        content: 'def grow(self):\n        self.size += 3',
      }),
    ).toContain('    def grow(self):\n        self.size += 3\n')
    expect(
      await becomes({
        path: 'tool.py',
        location: 'grow',
        operation: 'replace',
        content: '    def grow(self):\n        self.size += 4\n',
      }),
    ).toContain('    def grow(self):\n        self.size += 4\n')
    expect(await becomes({ path: 'tool.py', location: 'size', operation: 'delete' })).toBe(
      'class Tool:\n\n    def grow(self):\n        self.size += 4\n',
    )
  })

  test('by description, among symbols and blocks', async () => {
    const { text, view } = await edit({
      location: 'the function that handles authentication',
      operation: 'insert_after',
      content: '// here',
    })
    expect(text).toContain('The location describes the function authenticate (score')
    expect(view).toMatchObject({ kind: 'diff', note: expect.stringContaining('The location describes') })
    expect(await onDisk('users.ts')).toContain('=== password\n}\n// here\n')
    expect(
      await becomes({ path: 'notes.txt', location: 'where the bicycle is to be repaired', operation: 'delete' }),
    ).toBe('Shopping\nmilk and bread\n\nGarden\nwater the tomatoes\n\n')
  })
})

describe('smart_edit refuses', () => {
  test('a repeated text, an overloaded name and an ambiguous description, with the candidates', async () => {
    const several = await expectFailure(edit({ location: 'user: User', operation: 'delete' }), 'ambiguous_match')
    expect(several.message).toContain('2 times')
    expect(several.message).toContain('users.ts:8: add(user: User): void {')
    const overloaded = await expectFailure(edit({ location: 'first', operation: 'delete' }), 'ambiguous_match')
    expect(overloaded.message).toMatch(/users\.ts:25-25: function first[^]*users\.ts:26-28: function first/)
    const unclear = await expectFailure(
      edit({ location: 'what is done with a user', operation: 'delete' }),
      'ambiguous_match',
    )
    expect(unclear.message).toMatch(/users\.ts:\d+-\d+: \w+ [\w.]+ \(score \d\.\d\d\)/)
    expect(await onDisk('users.ts')).toBe(users)
    expect([checkpoints.list(), journal.recorded]).toEqual([[], []])
  })

  test('a match of one word of several, even if the word is the whole name of a symbol', async () => {
    await expectFailure(edit({ location: 'the code that removes invoices', operation: 'delete' }), 'ambiguous_match')
    expect(await onDisk('users.ts')).toBe(users)
  })

  test('and states how many candidates are omitted', async () => {
    await writeTree(folder.root, { 'many.txt': 'same text\n'.repeat(40) })
    const { message } = await expectFailure(
      edit({ path: 'many.txt', location: 'same text', operation: 'delete' }),
      'ambiguous_match',
    )
    expect(message.split('\n')).toHaveLength(14)
    expect(message).toMatch(/40 times[^]*many\.txt:12: same text\n… and 28 more$/)
  })

  test('a location that is not found, and an edit that changes nothing', async () => {
    await expectFailure(edit({ location: 'zebra crossing', operation: 'delete' }), 'no_match')
    await expectFailure(edit({ location: '  ', operation: 'delete' }), 'invalid_arguments')
    await expectFailure(
      edit({ location: 'limit', operation: 'replace', content: 'export const limit = 10;' }),
      'no_change',
    )
    await expectFailure(edit({ path: 'none.ts', location: 'x', operation: 'delete' }), 'not_found')
    await expectFailure(edit({ path: '../x', location: 'x', operation: 'delete' }), 'outside_workspace')
  })

  test('missing or superfluous content', async () => {
    for (const operation of ['replace', 'insert_after', 'insert_before'])
      await expectFailure(edit({ location: 'limit', operation }), 'invalid_arguments')
    await expectFailure(edit({ location: 'limit', operation: 'insert_after', content: '' }), 'invalid_arguments')
    await expectFailure(edit({ location: 'limit', operation: 'delete', content: 'x' }), 'invalid_arguments')
    expect(smartEdit.schema.safeParse({ path: 'a', location: 'b', operation: 'move' }).success).toBe(false)
  })
})

describe('an edit', () => {
  test('stores a checkpoint of the file and the data for undo', async () => {
    const { text, view } = await edit({ location: 'limit', operation: 'replace', content: 'const limit = 20' })
    expect(text).toContain('-export const limit = 10;\n+export const limit = 20;')
    expect(view).toMatchObject({ kind: 'diff', editId: 'edit-1', files: [{ path: 'users.ts', added: 1, removed: 1 }] })
    const [checkpoint] = checkpoints.list()
    expect(checkpoint).toMatchObject({ paths: ['users.ts'], reason: 'before smart_edit of users.ts' })
    expect(String(await checkpoints.fileAt(checkpoint?.id ?? 0, 'users.ts'))).toBe(users)
    await checkpoints.restore(checkpoint?.id ?? 0)
    expect(await onDisk('users.ts')).toBe(users)
    expect(journal.recorded[0]?.changes[0]).toMatchObject({ path: 'users.ts', before: users })
  })

  test('of a file with unsaved changes is applied to the tab only', async () => {
    editor.tabs.set('users.ts', { text: users.replace('limit = 10', 'maximum = 10'), dirty: true })
    const { text, view } = await edit({ location: 'maximum', operation: 'replace', content: 'const maximum = 20' })
    expect(text).toContain('Nothing was written to disk')
    expect(view).toMatchObject({ unsaved: true })
    expect(editor.tabs.get('users.ts')).toMatchObject({
      text: users.replace('limit = 10', 'maximum = 20'),
      dirty: true,
    })
    expect(await onDisk('users.ts')).toBe(users)
  })

  test('can be previewed without storing or writing anything', async () => {
    const preview = await smartEdit.preview?.({ path: 'users.ts', location: 'limit', operation: 'delete' }, context)
    expect(preview?.view).toMatchObject({
      kind: 'diff',
      files: [{ path: 'users.ts', removed: 1 }],
      note: 'The location matches the constant limit.',
    })
    expect([await onDisk('users.ts'), checkpoints.list().length]).toEqual([users, 0])
  })
})
