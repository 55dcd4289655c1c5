import { rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { withoutSecrets } from './secretGuard.ts'
import { temporaryFolder, testContext } from './testing/toolContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    '.env': 'TOKEN=secret\n',
    'secrets.json': Buffer.from([0, 1]),
    'plain.txt': 'plain\n',
  })
})
afterEach(() => folder.remove())

it('refuses a file that a link leads to by the time it is opened', async () => {
  const context = await testContext(folder.root)
  const link = path.join(folder.root, 'link.txt')
  await symlink('plain.txt', link)
  const { documents } = withoutSecrets(
    {
      ...context,
      documents: {
        ...context.documents,
        async read(name, signal) {
          // Another process changes the link after the call was checked and before it reads.
          await rm(link)
          await symlink('.env', link)
          return context.documents.read(name, signal)
        },
      },
    },
    shippedPlaceRules.secret,
    new Set(),
  )
  await expect(documents.read('link.txt')).rejects.toMatchObject({ code: 'approval_required' })
})

it('does not reveal the kind of a secret file by an error', async () => {
  const context = await testContext(folder.root)
  const { documents } = withoutSecrets(context, shippedPlaceRules.secret, new Set())
  await expect(documents.read('secrets.json')).rejects.toMatchObject({ code: 'approval_required' })
  expect((await documents.read('plain.txt')).text).toBe('plain\n')
})
