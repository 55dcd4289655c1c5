import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing.ts'
import { createEngine } from './engine.ts'

test('an index that has not been told of any file is not complete', async () => {
  const folder = await temporaryFolder({ 'a.ts': 'export const a = 1\n' })
  const grammars = fileURLToPath(new URL('../../../resources/grammars', import.meta.url))
  const engine = createEngine({ root: folder.root, database: path.join(folder.root, 'index.db'), grammars, onNotice: () => undefined })
  try {
    expect(engine.status().state).toBe('building')
    engine.setFiles(['a.ts'])
    await expect.poll(() => engine.status()).toMatchObject({ state: 'ready', done: 1, symbols: 1 })
  } finally {
    await engine.close()
    await folder.remove()
  }
})
