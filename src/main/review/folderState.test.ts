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
  let onScan = () => undefined as void
  const folder = createFolderState(
    {
      async scan(paths) {
        scanned.push(paths)
        onScan()
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
  return { scanned, recorded, folder, reads, setOnScan: (act: () => void) => void (onScan = act) }
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

it('a path that changed since the checkpoint read it is read again', async () => {
  const { scanned, recorded, folder, reads } = setUp(20)
  reads.changed('a.txt')
  await reads.read({ paths: undefined, turn: 'm', since: 10 })
  expect(scanned).toEqual([['a.txt']])
  expect(folder.entry('a.txt')).toMatchObject({ hash: 'disk' })
  expect(recorded).toEqual([['a.txt'], ['a.txt']])
})

it('an older state does not replace what was observed since, such as the change of another call', async () => {
  const { scanned, folder, reads } = setUp(Infinity)
  const since = performance.now()
  await folder.observe(['a.txt'])
  await reads.read({ paths: undefined, turn: 'm', since })
  expect(scanned).toEqual([['a.txt'], undefined])
  expect(folder.entry('a.txt')).toMatchObject({ hash: 'disk' })
})

it('a change that is reported while the folder is read is read before the next call', async () => {
  const { scanned, reads, setOnScan } = setUp(0)
  setOnScan(() => reads.changed('b.txt'))
  await reads.read({ paths: undefined, turn: 'm' })
  setOnScan(() => undefined)
  await reads.read({ paths: undefined, turn: 'm' })
  expect(scanned).toEqual([undefined, ['b.txt']])
})
