import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, testContext, type TestContext } from '../testing/toolContext.ts'
import { documentRead } from './documentRead.ts'

// The documents in e2e/fixtures/documents were written by LibreOffice 7.4; qpdf encrypted one.

const fixtures = path.join(import.meta.dirname, '../../../../e2e/fixtures/documents')
const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# Tides\n', 'by port'] },
    {
      cell_type: 'code',
      metadata: {},
      execution_count: 1,
      source: ['print(2 + 2)'],
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['4\n'] },
        {
          output_type: 'display_data',
          metadata: {},
          data: { 'image/png': 'iVBORw0KGgo=', 'text/plain': ['<Figure>'] },
        },
        { output_type: 'error', ename: 'ValueError', evalue: 'no water', traceback: [] },
      ],
    },
  ],
}
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let context: TestContext
const read = async (args: Record<string, unknown>) => (await runTool(documentRead, args, context)).text

beforeAll(async () => {
  const names = [
    'harbour.pdf',
    'harbour.docx',
    'encrypted.pdf',
    'ships.csv',
    'ships.xlsx',
    'slides.pptx',
    'slides.odp',
    'harbour.odt',
    'harbour.rtf',
    'ships.ods',
    'logbook.epub',
    'encrypted.odt',
  ]
  const made = await Promise.all(names.map(async (name) => [name, await readFile(path.join(fixtures, name))] as const))
  folder = await temporaryFolder({
    ...Object.fromEntries(made),
    'notes.txt': 'first\nsecond\nthird\n',
    'page.html':
      '<html><head><title>Ports</title><script>x()</script></head><body><h2>North</h2><table><tr><th>A</th></tr><tr><td>1</td></tr></table></body></html>',
    'semicolon.csv': 'name;size\nAnna;1,5\n',
    'tabs.tsv': 'name\tsize\nAnna\ta,b\n',
    'empty.csv': '',
    'unclosed.csv': 'a,b\n"1,2\n',
    'book.ipynb': JSON.stringify(notebook),
    'broken.ipynb': '{"cells": [',
    'other.ipynb': '{"worksheets": []}',
    'broken.pdf': 'This is no PDF at all.',
    'broken.docx': 'This is no archive at all.',
    'cut.pdf': (await readFile(path.join(fixtures, 'harbour.pdf'))).subarray(0, 900),
    'cut.docx': (await readFile(path.join(fixtures, 'harbour.docx'))).subarray(0, 3000),
    'broken.xlsx': 'This is no archive at all.',
    'word.xlsx': await readFile(path.join(fixtures, 'harbour.docx')),
    'cut.xlsx': (await readFile(path.join(fixtures, 'ships.xlsx'))).subarray(0, 3000),
    'older.docx': Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]),
    'locked.docx': Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'letter.rtf':
      "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}}\\f0 Dear \\{reader\\} \\emdash\\uc1\\u8364 ?\\par \\f1\\'ec\\'e8\\'f0\\par {\\*\\secret no}}",
    'cut.rtf': (await readFile(path.join(fixtures, 'harbour.rtf'))).subarray(0, 9000),
    'broken.rtf': 'This is no RTF at all.',
    'old.doc': Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    ...Object.fromEntries(
      ['pptx', 'odt', 'ods', 'odp', 'epub'].map((format) => [`broken.${format}`, 'This is no archive at all.']),
    ),
    'cut.pptx': (await readFile(path.join(fixtures, 'slides.pptx'))).subarray(0, 20_000),
    'cut.odt': (await readFile(path.join(fixtures, 'harbour.odt'))).subarray(0, 9000),
    'sheet.odt': await readFile(path.join(fixtures, 'ships.ods')),
    'book.odp': await readFile(path.join(fixtures, 'logbook.epub')),
    'locked.pptx': Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'binary.dat': Buffer.from([0, 1, 2, 3, 0, 255]),
    'folder.pdf/': '',
  })
  context = await testContext(folder.root)
})
afterAll(() => folder.remove())

test('plain text is returned unchanged, or only some lines of it', async () => {
  expect(await read({ path: 'notes.txt' })).toBe('first\nsecond\nthird\n')
  expect(await read({ path: 'notes.txt', start_line: 2, end_line: 2 })).toBe('second')
  await expectFailure(read({ path: 'notes.txt', start_line: 9 }), 'out_of_range')
  await expectFailure(read({ path: 'notes.txt', start_line: 3, end_line: 2 }), 'invalid_arguments')
  await expectFailure(read({ path: 'notes.txt', pages: '1' }), 'invalid_arguments')
  await expectFailure(read({ path: 'binary.dat' }), 'binary_file')
})

test('HTML becomes Markdown with its title, without scripts', async () => {
  expect(await read({ path: 'page.html' })).toBe('# Ports\n\n## North\n\n| A |\n| --- |\n| 1 |')
})

test('CSV becomes a table with any separator', async () => {
  expect(await read({ path: 'ships.csv' })).toBe(
    '| Ship | Length (m) | Built | Note |\n| --- | --- | --- | --- |\n| Anna | 112 | 1998-05-04 | steel, painted |\n| Bertha | 87.5 | 2004-11-30 |  |',
  )
  expect(await read({ path: 'semicolon.csv' })).toContain('| Anna | 1,5 |')
  expect(await read({ path: 'tabs.tsv' })).toContain('| Anna | a,b |')
  expect(await read({ path: 'empty.csv' })).toMatch(/^\(The document has no text/)
  const failure = await expectFailure(read({ path: 'unclosed.csv' }), 'invalid_encoding')
  expect(failure.message).toContain('line')
})

test('a notebook becomes its cells and their output', async () => {
  const text = await read({ path: 'book.ipynb' })
  expect(text).toContain('# Tides\nby port')
  expect(text).toContain('```python\nprint(2 + 2)\n```\n\nOutput:\n```\n4\n```')
  expect(text).toContain('[image/png]')
  expect(text).toContain('Error: ValueError: no water')
  expect(text).not.toContain('iVBOR')
  await expectFailure(read({ path: 'broken.ipynb' }), 'invalid_encoding')
  await expectFailure(read({ path: 'other.ipynb' }), 'invalid_encoding')
})

test('a PDF becomes its pages with the rows of its tables', async () => {
  const text = await read({ path: 'harbour.pdf' })
  expect(text).toContain('--- Page 1 of 3 ---\nHarbour report')
  expect(text).toContain('Ñandú is a word too.')
  expect(text).toContain('Anna | 112 | Vigo')
  expect(text).toContain('--- Page 3 of 3 ---\nThe third page ends the report.')
})

test('pages selects pages of a PDF', async () => {
  expect(await read({ path: 'harbour.pdf', pages: '2' })).toBe('--- Page 2 of 3 ---\nThe second page speaks of tides.')
  expect(await read({ path: 'harbour.pdf', pages: '2-' })).toMatch(/^--- Page 2[^]*third page/)
  expect(await read({ path: 'harbour.pdf', pages: '3-90' })).toMatch(/^--- Page 3/)
  expect((await expectFailure(read({ path: 'harbour.pdf', pages: '4' }), 'out_of_range')).next).toContain('1 to 3')
  await expectFailure(read({ path: 'harbour.pdf', pages: '3-2' }), 'invalid_arguments')
  expect(documentRead.schema.safeParse({ path: 'harbour.pdf', pages: 'two' }).success).toBe(false)
})

test('DOCX becomes Markdown with headings, lists and tables', async () => {
  const text = await read({ path: 'harbour.docx' })
  expect(text).toContain('# Harbour report')
  expect(text).toContain('painted in **May**. Ñandú')
  expect(text).toMatch(/-\s+Anna\n-\s+Bertha/)
  expect(text).toContain('| Anna | 112 | Vigo |')
})

test('a workbook becomes a table for each sheet', async () => {
  expect(await read({ path: 'ships.xlsx' })).toBe(
    '## ships\n\n| Ship | Length (m) | Built | Note |\n| --- | --- | --- | --- |\n| Anna | 112 | 1998-05-04 | steel, painted |\n| Bertha | 87.5 | 2004-11-30 |  |',
  )
})

test('a presentation becomes its slides with lists, tables and notes', async () => {
  const slides =
    '# Slide 1 of 3\n\n## Harbour plan\n\n-   Paint the quay in May, Ñandú & co\n    -   grey first\n-   Count the ships\n\n**Notes:**\n\nSay that the paint is here.\n\n' +
    '# Slide 2 of 3\n\n## Ships\n\n| Ship | Length (m) |\n| --- | --- |\n| Anna | 112 |\n| Bertha | 87.5 |\n\n# Slide 3 of 3\n\nThe third slide has no title.'
  expect(await read({ path: 'slides.pptx' })).toBe(slides)
  expect(await read({ path: 'slides.odp' })).toBe(slides)
})

test('pages selects slides and chapters', async () => {
  expect(await read({ path: 'slides.pptx', pages: '3' })).toBe('# Slide 3 of 3\n\nThe third slide has no title.')
  expect(await read({ path: 'slides.odp', pages: '2' })).toMatch(/^# Slide 2 of 3\n\n## Ships\n[^]*Bertha \| 87.5 \|$/)
  expect(await read({ path: 'logbook.epub', pages: '2' })).toMatch(/^# Chapter 2 of 2\n\nArriving/)
  for (const name of ['slides.pptx', 'slides.odp', 'logbook.epub'])
    await expectFailure(read({ path: name, pages: '4' }), 'out_of_range')
  for (const name of ['harbour.odt', 'harbour.rtf', 'ships.ods'])
    await expectFailure(read({ path: name, pages: '1' }), 'invalid_arguments')
})

test('OpenDocument text becomes Markdown with headings, lists and tables', async () => {
  expect(await read({ path: 'harbour.odt' })).toBe(
    '# Harbour report\n\nThe lighthouse was painted in **May**. Ñandú is a word too.\n\n## Ships\n\n-   Anna\n-   Bertha\n\n' +
      '| Ship | Length (m) | Port |\n| --- | --- | --- |\n| Anna | 112 | Vigo |\n| Bertha | 87 | Bilbao |\n\nThe second page speaks of tides.\n\nThe third page ends the report.',
  )
})

test('an OpenDocument spreadsheet becomes the same text as the workbook, without its million empty rows', async () => {
  expect(await read({ path: 'ships.ods' })).toBe(await read({ path: 'ships.xlsx' }))
})

test('RTF becomes text with headings, lists and tables, in every character set of its fonts', async () => {
  const text = await read({ path: 'harbour.rtf' })
  expect(text).toContain(
    '# Harbour report\n\nThe lighthouse was painted in May. Ñandú is a word too.\n\n## Ships\n\n- Anna\n- Bertha\n\n| Ship | Length (m) | Port |\n| --- | --- | --- |\n| Anna | 112 | Vigo |',
  )
  expect(await read({ path: 'letter.rtf' })).toBe('Dear {reader} —€\n\nмир')
})

test('a book becomes its chapters in reading order', async () => {
  expect(await read({ path: 'logbook.epub' })).toMatch(
    /^# Chapter 1 of 2\n\nLeaving\n\nThe harbour lies behind us. Ñandú & co wave.\n\n\| Ship \| Port \|\n[^]*# Chapter 2 of 2\n\nArriving/,
  )
})

test('encrypted, damaged and missing documents cause specific errors', async () => {
  expect((await expectFailure(read({ path: 'encrypted.pdf' }), 'refused')).message).toContain('password')
  expect((await expectFailure(read({ path: 'locked.docx' }), 'refused')).message).toContain('password')
  for (const name of ['locked.pptx', 'encrypted.odt']) await expectFailure(read({ path: name }), 'refused')
  expect((await expectFailure(read({ path: 'old.doc' }), 'binary_file')).next).toContain('Convert')
  for (const name of [
    'broken.pptx',
    'broken.odt',
    'broken.ods',
    'broken.odp',
    'broken.epub',
    'broken.rtf',
    'cut.pptx',
    'cut.odt',
    'cut.rtf',
    'sheet.odt',
    'book.odp',
  ])
    await expectFailure(read({ path: name }), 'invalid_encoding')
  for (const name of [
    'broken.pdf',
    'broken.docx',
    'cut.docx',
    'cut.pdf',
    'broken.xlsx',
    'word.xlsx',
    'cut.xlsx',
    'older.docx',
  ])
    await expectFailure(read({ path: name }), 'invalid_encoding')
  await expectFailure(read({ path: 'folder.pdf' }), 'is_directory')
  await expectFailure(read({ path: 'none.pdf' }), 'not_found')
  await expectFailure(read({ path: '../elsewhere.pdf' }), 'outside_workspace')
})
