import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { forkThread } from '../base/childProcess.ts'
import { createIsolatedJobs } from '../base/isolatedJob.ts'
import { isLongForm } from '../testing/longForm.ts'
import type { DocumentFormat, DocumentJob } from './documentJob.ts'
import { documentLimits, extractDocument } from './extractDocument.ts'

// Tests hostile documents. The results of the formats are tested in tools/rustant/documentRead.test.ts.

const signal = new AbortController().signal
const run = createIsolatedJobs()

async function job(name: string, format: DocumentFormat): Promise<DocumentJob> {
  return {
    format,
    content: new Uint8Array(await readFile(path.join(import.meta.dirname, '../../../e2e/fixtures/documents', name))),
  }
}

test.each([
  ['bomb.pdf', 'pdf'],
  ['bomb.docx', 'docx'],
  ['bomb.xlsx', 'xlsx'],
  ['bomb.odt', 'odt'],
  ['bomb.pptx', 'pptx'],
  ['bomb.epub', 'epub'],
] as const)('%s, a few kilobytes that become many megabytes, ends in bounded memory', async (name, format) => {
  await expect(
    extractDocument(run, name, await job(name, format), signal, { ...documentLimits, memoryMb: 64 }),
  ).rejects.toMatchObject({ name: 'ToolError', code: 'too_large', message: expect.stringContaining('64 MB') })
})

test('stops reading a document after the time limit', async () => {
  await expect(
    extractDocument(run, 'bomb.pdf', await job('bomb.pdf', 'pdf'), signal, { ...documentLimits, cpuMs: 1 }),
  ).rejects.toMatchObject({ name: 'ToolError', code: 'timeout' })
})

test('can be cancelled and does not block the main process', async () => {
  const stop = new AbortController()
  const under = extractDocument(run, 'bomb.pdf', await job('bomb.pdf', 'pdf'), stop.signal)
  setImmediate(() => stop.abort())
  await expect(under).rejects.toMatchObject({ name: 'AbortError' })
  await expect(extractDocument(run, 'bomb.pdf', await job('bomb.pdf', 'pdf'), stop.signal)).rejects.toMatchObject({
    name: 'AbortError',
  })
})

/** Writes another unpacked size of one part into the central directory of a zip archive (APPNOTE 4.3.12). */
async function declaring(name: string, part: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const { content } = await job(name, 'odt')
  const bytes = Buffer.from(content.buffer)
  for (let at = bytes.indexOf('PK\x01\x02'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1)) {
    if (bytes.subarray(at + 46, at + 46 + part.length).toString() === part) bytes.writeUInt32LE(size, at + 24)
  }
  return content
}

test('does not unpack a part with an excessive declared size', async () => {
  const content = await declaring('harbour.odt', 'content.xml', 3_000_000_000)
  await expect(extractDocument(run, 'harbour.odt', { format: 'odt', content }, signal)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('256 MB'),
  })
})

test('stops unpacking a part that exceeds its declared size', async () => {
  const content = await declaring('harbour.odt', 'content.xml', 100)
  await expect(extractDocument(run, 'harbour.odt', { format: 'odt', content }, signal)).rejects.toMatchObject({
    code: 'invalid_encoding',
    message: expect.stringContaining('too many bytes'),
  })
})

test('refuses RTF that declares gigabytes of binary data before allocating them', async () => {
  const content = new TextEncoder().encode('{\\rtf1 {\\pict\\bin2000000000 x}}')
  await expect(extractDocument(run, 'bomb.rtf', { format: 'rtf', content }, signal)).rejects.toMatchObject({
    code: 'invalid_encoding',
    message: expect.stringContaining('binary data'),
  })
})

test('reads deeply nested RTF groups', async () => {
  const content = new TextEncoder().encode(`{\\rtf1 ${'{'.repeat(100_000)}x${'}'.repeat(100_000)}}`)
  expect(await extractDocument(run, 'deep.rtf', { format: 'rtf', content }, signal)).toMatchObject({ text: 'x' })
})

const good = {
  pdf: 'harbour.pdf',
  docx: 'harbour.docx',
  xlsx: 'ships.xlsx',
  pptx: 'slides.pptx',
  odt: 'harbour.odt',
  ods: 'ships.ods',
  odp: 'slides.odp',
  epub: 'logbook.epub',
  rtf: 'harbour.rtf',
} as const

/** Starts faster, and these documents harm no process. */
const inThread = createIsolatedJobs(forkThread)

describe.each(Object.entries(good))('a %s file', (extension, name) => {
  // The keys above are formats.
  const format = extension as keyof typeof good
  const message = async (content: Uint8Array<ArrayBuffer>) => {
    const failure = await extractDocument(inThread, `f.${format}`, { format, content }, signal).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({
      name: 'ToolError',
      code: 'invalid_encoding',
      next: expect.stringContaining('intact copy'),
    })
    const text = failure instanceof Error ? failure.message : ''
    expect(text).not.toMatch(/https?:|jszip|central directory|are you sure/i)
    return text
  }

  test('is identified if it is empty, text, another format or truncated', async () => {
    const whole = (await job(name, format)).content
    expect(await message(new Uint8Array())).toContain('It is empty (0 bytes).')
    expect(await message(new TextEncoder().encode('hello, this is text'))).toContain('It is plain text.')
    const other = format === 'docx' ? await job('ships.xlsx', 'xlsx') : await job('harbour.docx', 'docx')
    expect(await message(other.content)).toContain(
      format === 'docx' ? 'It is an Excel workbook' : 'It is a Word document',
    )
    expect(await message(whole.slice(0, whole.length >> 1))).toMatch(/missing|Invalid PDF structure/)
  })
})

/** Returns a PDF of numbered objects, the first of which is its catalog. */
function pdf(...objects: string[]): string {
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  return `${text}${head}trailer <</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`
}
const catalog = '<</Type/Catalog/Pages 2 0 R>>'
const onePage = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>'
const stream = (content: string) => `<</Length ${content.length}>>stream\n${content}\nendstream`

/** The short form has a tenth of the content, and less time and memory for it. */
const limits = isLongForm ? documentLimits : { ...documentLimits, cpuMs: 1500, memoryMb: 128 }
const repeated = (text: string, count: number) => text.repeat(isLongForm ? count : count / 10)

const hostile: [what: string, format: DocumentFormat, content: () => string, answer: RegExp][] = [
  [
    'RTF with millions of open groups',
    'rtf',
    () => `{\\rtf1 ${repeated('{', 20_000_000)}`,
    /too_large|timeout|invalid_enc/,
  ],
  [
    'a PDF whose list of pages is in itself',
    'pdf',
    () => pdf(catalog, '<</Type/Pages/Count 1/Kids[2 0 R]>>'),
    /invalid_enc/,
  ],
  [
    'a PDF with many lists of pages in each other',
    'pdf',
    () => {
      const lists = Array.from(
        { length: isLongForm ? 100_000 : 10_000 },
        (_, index) => `<</Type/Pages/Count 1/Kids[${index + 3} 0 R]>>`,
      )
      return pdf(catalog, ...lists)
    },
    /invalid_enc|too_large|timeout/,
  ],
  [
    'a PDF with millions of operators',
    'pdf',
    () => pdf(catalog, '<</Type/Pages/Count 1/Kids[3 0 R]>>', onePage, stream(repeated('q ', 10_000_000))),
    /timeout|too_large/,
  ],
  [
    'a notebook of millions of open brackets',
    'ipynb',
    () => repeated('[', 20_000_000),
    /invalid_enc|too_large|timeout/,
  ],
  ['a table of millions of empty cells', 'csv', () => repeated(',', 40_000_000), /timeout|too_large/],
]

test.each(hostile)('%s is answered with an error in words', async (_, format, content, answer) => {
  const bytes = new Uint8Array(Buffer.from(content(), 'latin1'))
  await expect(extractDocument(run, 'hostile', { format, content: bytes }, signal, limits)).rejects.toMatchObject({
    name: 'ToolError',
    code: expect.stringMatching(answer),
    message: expect.stringMatching(/^(?!.*\[object).*hostile/),
  })
})

test('RTF with a million open groups is rejected before it is split into tokens', async () => {
  const content = new Uint8Array(Buffer.from(`{\\rtf1 ${'{'.repeat(1_000_000)}`))
  await expect(extractDocument(run, 'deep.rtf', { format: 'rtf', content }, signal)).rejects.toThrow(
    'too many nested groups',
  )
})

test('a document that a busy machine could not read in time says so', async () => {
  const limits = { ...documentLimits, wallMs: 1 }
  await expect(extractDocument(run, 'bomb.pdf', await job('bomb.pdf', 'pdf'), signal, limits)).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('because the machine is busy'),
  })
})
