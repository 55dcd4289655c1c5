import { beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { RenamePlan } from '../../shared/language/symbolRename.ts'
import { textHash } from '../../shared/files/textHash.ts'
import { applyRename } from './renameApply.ts'
import { outcomeOf } from '../platform/editor/testing/documentsOnDisk.ts'
import type { FileChangeDeps } from '../platform/editor/documents/fileChanges.ts'
import { occurrenceKey } from './renameStore.ts'

const plan: RenamePlan = {
  name: 'hash',
  newName: 'digest',
  files: [
    {
      path: 'hash.ts',
      textHash: '',
      occurrences: [{ line: 1, column: 17, kind: 'definition', lineText: '', replacement: 'digest' }],
    },
    {
      path: 'users.ts',
      textHash: '',
      occurrences: [
        { line: 1, column: 10, kind: 'reference', lineText: '', replacement: 'digest' },
        { line: 2, column: 4, kind: 'reference', lineText: '', replacement: 'hash: digest' },
        { line: 2, column: 10, kind: 'reference', lineText: '', replacement: 'digest' },
        { line: 3, column: 4, kind: 'mention', lineText: '', replacement: 'digest' },
      ],
    },
  ],
  taken: [],
  moreMentions: 0,
}
const all = new Set(
  plan.files.flatMap(({ path, occurrences }) => occurrences.map((occurrence) => occurrenceKey(path, occurrence))),
)
const certain = new Set([...all].filter((key) => key !== 'users.ts:3:4'))

/**
 * Files on a disk and open tabs, with the same rules as the window: each text has a stamp, and another stamp causes
 * `changed_on_disk`.
 */
let disk: Map<string, string>
let tabs: Map<string, { text: string; dirty: boolean }>
let failing: string | undefined
let parts: FileChangeDeps
beforeEach(() => {
  disk = new Map([
    ['hash.ts', 'export function hash() {}\n'],
    ['users.ts', "import { hash } from './x'\n({ hash, hash })\n// hash\n"],
  ])
  tabs = new Map()
  failing = undefined
  const answers = {
    'files.readBatch': ({ paths }: { paths: string[] }) =>
      paths.map((path) =>
        outcomeOf(() => ({
          path,
          text: disk.get(path) ?? '',
          stamp: disk.get(path),
          format: { encoding: 'utf8', eol: '\n' },
          readonly: false,
        })),
      ),
    'files.writeBatch': ({ files }: { files: { path: string; text: string; stamp: string }[] }) =>
      files.map(({ path, text, stamp }) =>
        outcomeOf(() => {
          if (path === failing) throw new ToolError('no_space', 'The disk is full.', 'Make room.')
          if (stamp !== disk.get(path)) throw new ToolError('changed_on_disk', 'Changed.', 'Look again.')
          disk.set(path, text)
          return { stamp: text }
        }),
      ),
  }
  // The two requests of a rename, with the fields of their responses that it reads.
  parts = {
    request: (async (name: keyof typeof answers, params: never) =>
      answers[name](params)) as unknown as FileChangeDeps['request'],
    documents: {
      get: (path) =>
        tabs.has(path)
          ? ({ dirty: tabs.get(path)?.dirty, readonly: false } as ReturnType<FileChangeDeps['documents']['get']>)
          : undefined,
      buffer: (path) => {
        const tab = tabs.get(path)
        return (
          tab &&
          ({
            text: () => tab.text,
            replace: (text: string) => void Object.assign(tab, { text, dirty: true }),
          } as ReturnType<FileChangeDeps['documents']['buffer']>)
        )
      },
      change: async (path, _before, after) => {
        const tab = tabs.get(path)
        if (path === failing) throw new ToolError('no_space', 'The disk is full.', 'Make room.')
        if (!tab) return
        tab.text = after
        if (!tab.dirty) disk.set(path, after)
      },
    },
  }
})

/** The plan for the current texts. */
function planned(): RenamePlan {
  const textOf = (path: string) => tabs.get(path)?.text ?? disk.get(path) ?? ''
  return { ...plan, files: plan.files.map((file) => ({ ...file, textHash: textHash(textOf(file.path)) })) }
}

describe('a rename', () => {
  it('changes the selected places in all files, and is undone as one step', async () => {
    const before = new Map(disk)
    const applied = await applyRename(parts, planned(), certain)
    expect(disk.get('hash.ts')).toBe('export function digest() {}\n')
    expect(disk.get('users.ts')).toBe("import { digest } from './x'\n({ hash: digest, digest })\n// hash\n")
    expect(applied).toMatchObject({ files: 2, places: 4, unsaved: [] })
    await applied.undo()
    expect(disk).toEqual(before)
  })

  it('skips a file without selected places', async () => {
    expect(await applyRename(parts, planned(), new Set(['hash.ts:1:17']))).toMatchObject({ files: 1, places: 1 })
    expect(disk.get('users.ts')).toContain('{ hash }')
  })

  it('changes the buffer of an open file, and saves it only if it had no unsaved changes', async () => {
    tabs.set('hash.ts', { text: 'export function hash() {}\n', dirty: false })
    tabs.set('users.ts', { text: "import { hash } from './x'\n({ hash, hash })\n// hash, and mine\n", dirty: true })
    const applied = await applyRename(parts, planned(), certain)
    expect(applied.unsaved).toEqual(['users.ts'])
    expect(tabs.get('hash.ts')).toEqual({ text: 'export function digest() {}\n', dirty: false })
    expect(disk.get('hash.ts')).toBe('export function digest() {}\n')
    expect(tabs.get('users.ts')).toEqual({
      text: "import { digest } from './x'\n({ hash: digest, digest })\n// hash, and mine\n",
      dirty: true,
    })
    expect(disk.get('users.ts')).toContain('{ hash }')
  })

  it('changes nothing if a text differs from the preview', async () => {
    const shown = planned()
    disk.set('users.ts', `${disk.get('users.ts')}// new\n`)
    const before = new Map(disk)
    await expect(applyRename(parts, shown, certain)).rejects.toMatchObject({ code: 'conflict' })
    expect(disk).toEqual(before)
  })

  it('restores written files when a later file fails', async () => {
    const before = new Map(disk)
    failing = 'users.ts'
    await expect(applyRename(parts, planned(), certain)).rejects.toMatchObject({ code: 'no_space' })
    expect(disk).toEqual(before)
  })

  it('is not undone if any file has changed since', async () => {
    const applied = await applyRename(parts, planned(), certain)
    disk.set('users.ts', 'mine\n')
    await expect(applied.undo()).rejects.toMatchObject({ code: 'conflict' })
    expect(disk.get('hash.ts')).toContain('digest')
  })
})
