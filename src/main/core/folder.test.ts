import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEventHub } from '../appServices/eventHub.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createFolderServices } from './folder.ts'

test('another folder is opened once the work in the first one has ended, and nothing changes if it is missing', async () => {
  const { root: home, remove } = await temporaryFolder()
  for (const name of ['one', 'two']) await mkdir(join(home, name))
  await writeFile(join(home, 'one', 'a.txt'), 'alpha')
  const openAtStop: (string | undefined)[] = []
  const folder = await createFolderServices({
    options: { platform: headlessPlatform(join(home, 'user')) },
    events: createEventHub(false),
    recordHook: () => undefined,
    foldersChanged: () => undefined,
    stopWork: async () => void openAtStop.push(folder.workspaces.session()?.workspace.root),
  })
  onTestFinished(async () => {
    await folder.close()
    folder.data.close()
    await remove()
  })
  const { open, current } = folder.workspaces

  expect(current).toThrow('folder')
  await open(join(home, 'one'))
  expect((await current().documents.read('a.txt')).text).toBe('alpha')
  await expect(open(join(home, 'three'))).rejects.toMatchObject({ code: 'not_found' })
  expect(current().workspace.root).toBe(await realpath(join(home, 'one')))
  await open(join(home, 'two'))
  expect(current().workspace.root).toBe(await realpath(join(home, 'two')))
  expect(openAtStop).toContain(await realpath(join(home, 'one')))
})
