import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openDatabase } from './database.ts'

it('frees pages on demand, and writes nothing when it is opened again', async () => {
  const { root, remove } = await temporaryFolder()
  const first = await openDatabase(root)
  expect(first.db.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
  first.close()
  const again = await openDatabase(root)
  expect((await stat(join(root, 'tizona.db-wal'))).size).toBe(0)
  expect(again.db.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
  again.close()
  await remove()
})
