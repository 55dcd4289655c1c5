import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { findBelow } from './findBelow.ts'

const signal = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder({ 'a/b/.git/config': '', 'a/one': '', 'a/two': '' })
})
afterAll(() => folder.remove())

test('finds an entry several levels below a folder', async () => {
  const look = (name: string) => findBelow(folder.root, '.', (path) => path.endsWith(name), signal)
  expect(await look('.git')).toBe('a/b/.git')
  expect(await look('.vscode')).toBeUndefined()
})

test('fails for a folder with too many entries instead of reporting no match', async () => {
  await expect(findBelow(folder.root, '.', () => false, signal, { entries: 4 })).rejects.toMatchObject({
    name: 'ToolError',
    code: 'too_large',
  })
  expect(await findBelow(folder.root, '.', () => false, signal, { entries: 6 })).toBeUndefined()
})

test('can be cancelled', async () => {
  await expect(findBelow(folder.root, '.', () => false, AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  })
})
