import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { submodulesInIndex } from './gitIndex.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
  git(['init', '-q'])
})
afterEach(() => folder.remove())

function git(args: string[], input: string | Buffer = ''): void {
  execFileSync('git', args, { cwd: folder.root, input })
}

/** Adds entries. A mode of 160000 is a submodule. */
function add(entries: readonly (readonly [mode: string, name: string])[]): void {
  const lines = entries.map(([mode, name]) => `${mode} ${'1'.repeat(40)} 0\t${name}\0`)
  git(['update-index', '-z', '--index-info'], Buffer.from(lines.join(''), 'latin1'))
}

const index = () => readFile(path.join(folder.root, '.git/index'))

it.each(['2', '3', '4'])('lists the submodules of an index of version %s', async (version) => {
  const long = `${'long/'.repeat(900)}name`
  const files = Array.from({ length: 300 }, (_, at) => ['100644', `${'a'.repeat(at % 20)}/file${at}`] as const)
  add([...files, ['160000', 'b'], ['160000', 'deep/sub'], ['160000', long], ['100644', `${long}.txt`]])
  if (version === '3') {
    // An entry with extended flags.
    execFileSync('sh', ['-c', 'echo x > new'], { cwd: folder.root })
    git(['add', '--intent-to-add', 'new'])
  }
  git(['update-index', '--index-version', version])
  const bytes = await index()
  expect(bytes.readUInt32BE(4)).toBe(Number(version))
  expect(submodulesInIndex(bytes)).toEqual(['b', 'deep/sub', long])
})

it('does not list what is uncertain: other names, a split index, damage', async () => {
  add([
    ['160000', 'sub'],
    ['100644', 'z'],
  ])
  const whole = await index()
  expect(submodulesInIndex(whole)).toEqual(['sub'])
  for (const bytes of [Buffer.alloc(0), Buffer.from('text'.repeat(20)), whole.subarray(0, 100)])
    expect(submodulesInIndex(bytes)).toBeUndefined()
  const later = Buffer.from(whole)
  later.writeUInt32BE(5, 4)
  expect(submodulesInIndex(later)).toBeUndefined()
  git(['update-index', '--split-index'])
  expect(submodulesInIndex(await index())).toBeUndefined()
  git(['update-index', '--no-split-index'])
  add([['160000', 'sub\xff']])
  expect(submodulesInIndex(await index())).toBeUndefined()
})

it.each(['2', '4'])('does not list what git would read as other names, in an index of version %s', async (version) => {
  add([
    ['100644', 'a'],
    ['160000', 'sub'],
  ])
  git(['update-index', '--index-version', version])
  const whole = await index()
  const name = whole.indexOf('sub\0', 0, 'latin1')
  /** Git takes the length of a name from the flags before it. */
  const flags = name - (version === '4' ? 3 : 2)
  expect(whole.readUInt16BE(flags)).toBe(3)
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(whole)
    change(bytes)
    return submodulesInIndex(bytes)
  }
  expect(changed(() => undefined)).toEqual(['sub'])
  expect(changed((bytes) => bytes.writeUInt16BE(2, flags))).toBeUndefined()
  expect(changed((bytes) => bytes.writeUInt16BE(6, flags))).toBeUndefined()
  expect(changed((bytes) => bytes.write('s\0b', name, 'latin1'))).toBeUndefined()
})

it('does not list entries that git finds by their positions', async () => {
  add([['160000', 'sub']])
  git(['-c', 'index.recordEndOfIndexEntries=true', 'update-index', '--force-write-index'])
  const bytes = await index()
  expect(bytes.includes('EOIE')).toBe(true)
  expect(submodulesInIndex(bytes)).toBeUndefined()
})
