import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOpenFolders, type OpenFolders } from './reopenedFolders.ts'

let folder: string
const start = () => createOpenFolders(path.join(folder, 'windows.json'), { settledMs: 100_000, forgetMs: 0 })

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tizona-windows-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs an application from its start to its end. */
async function session(use: (windows: OpenFolders) => void | Promise<void>): Promise<void> {
  const windows = start()
  await windows.begin()
  windows.opened()
  await use(windows)
  await windows.close()
}

it.each([
  ['all', ['/a', '/b']],
  ['last', ['/b']],
  ['none', []],
] as const)('the next start opens the windows of the choice %s', async (choice, folders) => {
  await session((windows) => {
    windows.setRestore(choice)
    windows.changed(['/a'])
    windows.changed(['/a', '/b'])
  })
  expect(await start().begin()).toEqual({ folders, failed: false })
})

it('windows of hosts are opened again, and told apart from folders of this machine', async () => {
  const place = { address: 'devbox', folder: '/a' }
  await session((windows) => {
    windows.changed(['/a'])
    windows.changed(['/a', place])
  })
  expect((await start().begin()).folders).toEqual(['/a', place])
})

it('without a choice all are opened again, and a first start opens none', async () => {
  await session((windows) => windows.changed(['/a', '/b']))
  expect((await start().begin()).folders).toEqual(['/a', '/b'])
  await writeFile(path.join(folder, 'windows.json'), '{ damaged')
  expect(await start().begin()).toEqual({ folders: [], failed: false })
})

it('windows that close because the application quits are opened again, those that the user closed are not', async () => {
  await session(async (windows) => {
    windows.changed(['/a', '/b', '/c'])
    windows.changed(['/a', '/b'])
    await new Promise((resolve) => setTimeout(resolve, 5))
    windows.quitting()
    windows.changed(['/a'])
    windows.changed([])
  })
  expect((await start().begin()).folders).toEqual(['/a', '/b'])
})

it('a start that ended while it opened windows is not repeated', async () => {
  await session((windows) => windows.changed(['/a']))
  const crashed = start()
  expect((await crashed.begin()).folders).toEqual(['/a'])
  expect(await start().begin()).toEqual({ folders: [], failed: true })
  expect(await start().begin()).toEqual({ folders: [], failed: false })
})
