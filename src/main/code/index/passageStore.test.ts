import path from 'node:path'
import { expect, test } from 'vitest'
import { createFileReader } from './fileReader.ts'
import { openIndexStore } from './indexFile.ts'
import { createSymbolReader } from './symbolReader.ts'

const grammars = path.join(import.meta.dirname, '../../../../resources/grammars')

test('a word of a path finds the passages of its file, and ranks those first that also contain it', async () => {
  const store = openIndexStore(':memory:')
  const reader = createFileReader({ root: '/' }, createSymbolReader({ grammars, onNotice: expect.unreachable }))
  const texts = {
    'src/billing/total.ts':
      'export function total() {\n  return 1\n}\n\n/** Sends a billing. */\nexport function send() {}\n',
    'src/users.ts': 'export function users() {\n  return billing\n}\n',
    'src/other.ts': Array.from({ length: 9 }, (_, at) => `export function other${at}() {}\n`).join(''),
  }
  const found = () => store.passages.containing('billing', 10).map(({ id }) => store.passages.row(id)?.qualified)
  try {
    for (const [place, text] of Object.entries(texts)) {
      const reading = await reader.readText({ path: place, text }, text.length, 1)
      if (reading.change === 'content')
        store.transaction(() => store.replace(reading.row, reading.content, reading.words))
    }
    expect(found()).toEqual(['send', 'total', 'users'])
    store.remove(store.file('src/billing/total.ts')?.id ?? 0)
    expect(found()).toEqual(['users'])
  } finally {
    store.close()
  }
})
