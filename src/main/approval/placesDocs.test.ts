import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { placesDocs } from './placesDocs.ts'

it('docs/security.md lists all protected and secret places', async () => {
  const docs = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8')
  expect(docs).toContain(`<!-- places -->\n\n${placesDocs()}\n\n<!-- /places -->`)
})
