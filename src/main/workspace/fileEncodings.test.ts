import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Encoding } from '../../shared/files/encodings.ts'
import { encodeBytes } from '../base/textBytes.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from './containment.ts'
import { createDocuments, type WindowDocuments } from './documents.ts'
import { createFileEncodings } from './fileEncodings.ts'
import { expectFailure } from './testing/disk.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let documents: WindowDocuments
let ofSettings: Encoding = 'utf8'
const charsets = new Map<string, Encoding>()

const put = (name: string, text: string, encoding: Encoding): Promise<void> =>
  writeFile(path.join(folder.root, name), encodeBytes(text, encoding) ?? '')
const onDisk = (name: string): Promise<Buffer> => readFile(path.join(folder.root, name))
const edit = async (name: string, change: (text: string) => string): Promise<void> => {
  const document = await documents.read(name)
  await documents.edit(document, change(document.text))
}

beforeEach(async () => {
  folder = await temporaryFolder({})
  ofSettings = 'utf8'
  charsets.clear()
  const encodings = createFileEncodings({
    ofSettings: () => ofSettings,
    ofFolder: (name) => Promise.resolve(charsets.get(name)),
  })
  documents = createDocuments(await openWorkspace(folder.root), fakeEditor(), { encodings })
})
afterEach(() => folder.remove())

describe('a file in another encoding', () => {
  it.each<readonly [Encoding, string, string]>([
    ['windows1252', 'Größe der Fläche\r\nzwei\r\n', 'ä'],
    ['gbk', '这是一个简单的测试文件\n第二行\n', '中'],
    ['shiftjis', 'これはテストです\n二行目\n', '本'],
    ['euckr', '이것은 테스트 파일입니다\n둘째 줄\n', '글'],
    ['utf16lenobom', 'naïve\r\nline\r\n', '日'],
  ])('is read, edited and written back in it: %s', async (encoding, text, added) => {
    await put('a.txt', text, encoding)
    await edit('a.txt', (before) => `${before}${added}\n`)
    const end = text.includes('\r\n') ? '\r\n' : '\n'
    expect((await onDisk('a.txt')).equals(encodeBytes(`${text}${added}${end}`, encoding) ?? Buffer.alloc(0))).toBe(true)
  })

  it('keeps it in a whole-file write, and refuses what it lacks without writing', async () => {
    await put('a.txt', 'Größe der Fläche\n', 'windows1252')
    await documents.write('a.txt', 'Länge\n')
    expect((await onDisk('a.txt')).toString('latin1')).toBe('Länge\n')
    const { message } = await expectFailure(documents.write('a.txt', 'Länge 長さ\n'), 'invalid_encoding')
    expect(message).toContain('"長" (U+9577)')
    expect((await onDisk('a.txt')).toString('latin1')).toBe('Länge\n')
  })

  it('stays in it when more text would change the guess', async () => {
    await put('a.txt', '# é\n', 'windows1252')
    await documents.read('a.txt')
    await put('a.txt', '# éÇÁÐÕÏ äáêòôìé\nÉÎÉÃÉÁÌÉÚÁÃÉÑ ÓÅÔÉ\n', 'windows1252')
    expect((await documents.read('a.txt')).text).toContain('éÇÁÐ')
  })

  it('becomes UTF-8 where another program converted it', async () => {
    await put('a.txt', 'Größe\n', 'windows1252')
    await documents.read('a.txt')
    await put('a.txt', 'Größe 長\n', 'utf8')
    expect((await documents.read('a.txt')).text).toBe('Größe 長\n')
  })
})

describe('the encoding that the user chose', () => {
  it('shows the file in it, for tools too', async () => {
    await put('a.txt', 'ÀÁÂ\n', 'windows1252')
    expect((await documents.open('a.txt', { encoding: 'koi8r' })).text).toBe('юаб\n')
    await edit('a.txt', (text) => `${text}да\n`)
    expect((await onDisk('a.txt')).equals(encodeBytes('юаб\nда\n', 'koi8r') ?? Buffer.alloc(0))).toBe(true)
  })

  it('is that of the latest save', async () => {
    await put('a.txt', 'Größe\n', 'windows1252')
    const { text, stamp } = await documents.open('a.txt')
    await documents.save('a.txt', text, { encoding: 'cp850', eol: '\n' }, { stamp })
    expect((await documents.read('a.txt')).text).toBe('Größe\n')
    expect((await onDisk('a.txt')).toString('hex')).toBe('477294e1650a')
  })
})

describe('the encoding of the settings and of .editorconfig', () => {
  it('is used for new files and for files of ASCII that get other characters', async () => {
    ofSettings = 'gbk'
    charsets.set('latin.txt', 'iso88591')
    await documents.write('new.txt', '中文\n')
    expect((await onDisk('new.txt')).equals(encodeBytes('中文\n', 'gbk') ?? Buffer.alloc(0))).toBe(true)
    await put('latin.txt', 'size\n', 'utf8')
    expect((await documents.open('latin.txt')).format.encoding).toBe('iso88591')
    await edit('latin.txt', () => 'Größe\n')
    expect((await onDisk('latin.txt')).toString('latin1')).toBe('Größe\n')
  })

  it('decides for a file that does not show its encoding', async () => {
    charsets.set('a.txt', 'windows1250')
    await put('a.txt', 'Größe\n', 'windows1250')
    expect((await documents.read('a.txt')).format.encoding).toBe('windows1250')
  })

  it('leaves UTF-8 as it is', async () => {
    ofSettings = 'gbk'
    await put('a.txt', '中文\n', 'utf8')
    await edit('a.txt', (text) => `${text}字\n`)
    expect((await onDisk('a.txt')).toString()).toBe('中文\n字\n')
  })
})
