import { expect, it } from 'vitest'
import { isLongForm } from '../testing/longForm.ts'
import { memoryReview } from './testing/memoryReview.ts'

const pending = { kind: 'pending' } as const

const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n'
const changed = lines.replace('two', '2').replace('eight', '8')
/** Contents that are text, or nearly, in some encoding. */
const contents: Record<string, Buffer> = {
  'UTF-8': Buffer.from(lines),
  'other UTF-8': Buffer.from(changed),
  'UTF-8 with a mark': Buffer.from(`\uFEFF${changed}`),
  'a NUL byte before text': Buffer.from(`\0${lines}`),
  'a NUL byte before text of odd length': Buffer.from(`\0${lines}x`),
  'a NUL byte within text': Buffer.from(lines.replace('five', 'fi\0ve')),
  'a NUL byte behind a lot of text': Buffer.from(`${lines.repeat(300)}\0`),
  'UTF-16 LE': Buffer.from(`\uFEFF${lines}`, 'utf16le'),
  'UTF-16 LE without a mark': Buffer.from(changed, 'utf16le'),
  'UTF-16 BE without a mark': Buffer.from(changed, 'utf16le').swap16(),
  'UTF-16 with an unpaired byte': Buffer.concat([Buffer.from(`\uFEFF${changed}`, 'utf16le'), Buffer.from('x')]),
  'UTF-16 with a lone surrogate': Buffer.from(`\uFEFF${changed}\uD800`, 'utf16le'),
  'only a mark of UTF-16': Buffer.from([0xff, 0xfe]),
  'a mark of UTF-16 before UTF-8': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(lines)]),
  'Latin-1': Buffer.from(changed.replace('five', 'fünf'), 'latin1'),
  'bytes that are not valid UTF-8': Buffer.concat([Buffer.from(lines), Buffer.from([0xc3, 0x0a])]),
  'a surrogate in UTF-8': Buffer.concat([Buffer.from(lines), Buffer.from([0xed, 0xa0, 0x80, 0x0a])]),
  empty: Buffer.alloc(0),
  'a character that Latin-1 lacks': Buffer.from(changed.replace('five', '→')),
  'one NUL byte': Buffer.from([0]),
  'a NUL byte and a letter': Buffer.from('\0a'),
}
const names = Object.keys(contents)

it.each(names)('a review of a change from %s to each other content is stored, partly kept and undone', async (name) => {
  for (const other of names)
    for (const action of ['keep', 'undo'] as const) {
      const made = memoryReview()
      const put = (each: string) => made.disk.set('a.txt', { content: contents[each] ?? Buffer.alloc(0), mode: 0o644 })
      put(name)
      await made.agent('1', undefined, () => put(other))
      await made.restart()
      const { files } = await made.review.list(pending)
      expect(made.problems, `${name} to ${other}`).toEqual([])
      const content = contents[name]?.equals(contents[other] ?? Buffer.alloc(0))
      expect(files).toHaveLength(content === true ? 0 : 1)
      const { hunkList } = await made.review.hunks(pending, 'a.txt').catch(() => ({ hunkList: [] }))
      if (hunkList.length > 1) {
        const target = [{ path: 'a.txt', hunks: [hunkList[0]?.id ?? ''] }]
        expect((await made.review[action](pending, target)).skipped, `${action} ${name} to ${other}`).toEqual([])
      }
      await made.restart()
      await made.review.undo(pending, [{ path: 'a.txt' }])
      if (action === 'undo') expect(made.disk.get('a.txt')?.content, `${name} to ${other}`).toEqual(contents[name])
      await made.restart()
      expect(made.problems, `${action} ${name} to ${other}`).toEqual([])
    }
})

it.each(names)('a review is stored when the user then saves any content over a change from %s', async (name) => {
  for (const [index, other] of names.entries())
    for (const third of names.filter((_, at) => isLongForm || (at + index) % 7 === names.indexOf(name) % 7)) {
      const made = memoryReview()
      const put = (each: string) => made.disk.set('a.txt', { content: contents[each] ?? Buffer.alloc(0), mode: 0o644 })
      put(name)
      await made.agent('1', undefined, () => put(other))
      await made.review.list(pending)
      put(third)
      made.review.changedOnDisk(['a.txt'])
      const sequence = `${name}, ${other}, ${third}`
      const { files } = await made.review.list(pending)
      await made.restart()
      expect(made.problems, sequence).toEqual([])
      const listed = (await made.review.list(pending)).files
      const described = listed.map((file) => ({ ...file, revision: undefined }))
      expect(described, sequence).toEqual(files.map((file) => ({ ...file, revision: undefined })))
    }
})

it('a review is stored while a tab has half a surrogate pair', async () => {
  const made = memoryReview()
  made.write('a.txt', lines)
  await made.agent('1', ['a.txt'], () => made.write('a.txt', changed))
  made.type('a.txt', `${changed}\uD83D`)
  await made.review.list(pending)
  await made.restart()
  expect(made.problems).toEqual([])
})
