import { expect, it } from 'vitest'
import type { Tree } from '../history/checkpoints/entries.ts'
import { createFolderState } from './folderState.ts'
import { ReadBeforeCalls } from './readBeforeCalls.ts'

const file = (name: string, hash: string) => ({ kind: 'file' as const, name, hash, mode: 0o644, size: 1, stamp: hash })
const tree = (hash: string): Tree => new Map([['a.txt', file('a.txt', hash)]])

/** The state before a call, which its checkpoint read `at` a time. */
function setUp(at: number) {
  const scanned: (readonly string[] | undefined)[] = []
  const recorded: string[][] = []
  const folder = createFolderState(
    {
      async scan(paths) {
        scanned.push(paths)
        return tree('disk')
      },
      latest: (since) => (at >= since ? tree('checkpoint') : undefined),
      contents: { put: async () => undefined, get: async () => Buffer.from(''), bytes: async () => 0 },
      codec: { decode: () => ({ text: '' }), encode: () => Buffer.from('') } as never,
    },
    tree('earlier'),
  )
  const reads = new ReadBeforeCalls({
    folder,
    watched: false,
    record: async ({ changes }) => void recorded.push(changes.map(({ path }) => path)),
  })
  return { scanned, recorded, folder, reads }
}

it('a command does not read the folder again that its checkpoint has just read', async () => {
  const { scanned, recorded, folder, reads } = setUp(20)
  await reads.read({ paths: undefined, turn: 'm', since: 10 })
  expect(scanned).toEqual([])
  expect(recorded).toEqual([['a.txt']])
  expect(folder.entry('a.txt')).toMatchObject({ hash: 'checkpoint' })
})

it('a state from before the call is read again', async () => {
  const { scanned, folder, reads } = setUp(5)
  await reads.read({ paths: undefined, turn: 'm', since: 10 })
  expect(scanned).toEqual([undefined])
  expect(folder.entry('a.txt')).toMatchObject({ hash: 'disk' })
})

it('known paths are always read', async () => {
  const { scanned, reads } = setUp(20)
  await reads.read({ paths: ['a.txt'], turn: 'm', since: 10 })
  expect(scanned).toEqual([['a.txt']])
})
