import { open, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeBytes } from '../base/textBytes.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from './containment.ts'
import { createDocuments, type WindowDocuments } from './documents.ts'
import { expectFailure } from './testing/disk.ts'
import { maxTextFileSize } from './textFile.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let documents: WindowDocuments
const at = (name: string) => path.join(folder.root, name)
const lines = async (name: string, first: number, count: number) => documents.readLines(name, { first, count })

beforeEach(async () => {
  folder = await temporaryFolder({})
  documents = createDocuments(await openWorkspace(folder.root), fakeEditor())
})
afterEach(() => folder.remove())

describe('a range of a file that is too large for the editor', () => {
  it('is read, and all lines are counted', async () => {
    const block = 'a line of a log, which is not short\n'.repeat(30_000)
    const handle = await open(at('big.log'), 'w')
    let written = 0
    for (; written * block.length <= maxTextFileSize; written += 1) await handle.write(block)
    await handle.write('the last one')
    await handle.close()
    const total = written * 30_000 + 1
    await expectFailure(documents.read('big.log'), 'too_large')
    expect(await lines('big.log', 5, 1)).toMatchObject({
      lines: ['a line of a log, which is not short'],
      totalLines: total,
    })
    expect((await lines('big.log', total - 1, 10)).lines).toEqual([
      'a line of a log, which is not short',
      'the last one',
    ])
    expect((await lines('big.log', total + 1, 10)).lines).toEqual([])
    const stopped = documents.readLines('big.log', { first: 1, count: 1 }, AbortSignal.abort(new Error('stopped')))
    await expect(stopped).rejects.toThrow('stopped')
  })

  it('is limited in memory, also if a line has no end', async () => {
    const handle = await open(at('one.txt'), 'w')
    for (let part = 0; part < 60; part += 1) await handle.write('x'.repeat(1024 * 1024))
    await handle.close()
    const {
      lines: [line = ''],
      totalLines,
    } = await lines('one.txt', 1, Infinity)
    expect([line.length, totalLines]).toEqual([4 * 1024 * 1024, 1])
  })
})

describe('lines of parts', () => {
  it.each(['utf8', 'windows1252', 'utf16lenobom', 'utf16benobom'] as const)(
    'are those of the text in %s',
    async (encoding) => {
      const text = Array.from({ length: 120_000 }, (_, index) => `${index}: Größe`).join('\r\n')
      await writeFile(at('a.txt'), encodeBytes(text, encoding) ?? '')
      const expected = text.split('\r\n')
      expect(await lines('a.txt', 1, 2)).toMatchObject({ lines: expected.slice(0, 2), totalLines: 120_000 })
      // Around the end of the first chunk, which divides a line and a character.
      for (const first of [50_000, 65_000, 72_000, 119_990])
        expect((await lines('a.txt', first, 9_000)).lines).toEqual(expected.slice(first - 1, first + 8_999))
    },
  )

  it('do not exist in an empty file, and are not read from a binary one', async () => {
    await writeFile(at('empty.txt'), '')
    await writeFile(at('data.bin'), Buffer.from([0, 1, 2, 3, 4, 5, 0]))
    expect(await lines('empty.txt', 1, 5)).toMatchObject({ lines: [], totalLines: 0 })
    await expectFailure(lines('data.bin', 1, 5), 'binary_file')
  })
})
