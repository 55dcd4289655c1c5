import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { DocumentFormat, DocumentJob } from './documentJob.ts'
import { defaultLimits, extractDocument } from './extract.ts'

// What the formats give is told in tools/rustant/documentRead.test.ts; this is about documents that mean harm.

const signal = new AbortController().signal

async function job(name: string, format: DocumentFormat): Promise<DocumentJob> {
  return { format, content: new Uint8Array(await readFile(path.join(import.meta.dirname, '../../../e2e/fixtures/documents', name))) }
}

test.each([['bomb.pdf', 'pdf'], ['bomb.docx', 'docx'], ['bomb.xlsx', 'xlsx']] as const)('%s, a few kilobytes that become many megabytes, ends in bounded memory', async (name, format) => {
  await expect(extractDocument(name, await job(name, format), signal, { ...defaultLimits, memory: 64 }))
    .rejects.toMatchObject({ name: 'ToolError', code: 'too_large', message: expect.stringContaining('64 MB') })
})

test('a document that takes too long is given up', async () => {
  await expect(extractDocument('bomb.pdf', await job('bomb.pdf', 'pdf'), signal, { ...defaultLimits, time: 1 }))
    .rejects.toMatchObject({ name: 'ToolError', code: 'timeout' })
})

test('reading can be cancelled, and the process goes on meanwhile', async () => {
  const stop = new AbortController()
  const under = extractDocument('bomb.pdf', await job('bomb.pdf', 'pdf'), stop.signal)
  setImmediate(() => stop.abort())
  await expect(under).rejects.toMatchObject({ name: 'AbortError' })
  await expect(extractDocument('bomb.pdf', await job('bomb.pdf', 'pdf'), stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
})
