import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { expectFailure } from '../workspace/testing/disk.ts'
import { unpackedPath } from '../base/unpackedPath.ts'
import { createRipgrep } from './ripgrep.ts'
import { call, searchIn } from './testing/searchIn.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'text\n' })
})
afterEach(() => folder.remove())

test('a packaged app uses the unpacked binary beside the archive', () => {
  expect(unpackedPath('/opt/Tizona/resources/app.asar/node_modules/rg')).toBe(
    '/opt/Tizona/resources/app.asar.unpacked/node_modules/rg',
  )
  expect(unpackedPath('C:\\T\\app.asar\\rg.exe')).toBe('C:\\T\\app.asar.unpacked\\rg.exe')
  expect(unpackedPath('/x/app.asar.unpacked/rg')).toBe('/x/app.asar.unpacked/rg')
})

test('a missing binary causes a clear error', async () => {
  await expectFailure(
    (await searchIn(folder.root, { rgPath: path.join(folder.root, 'none') })).text({ pattern: 'x' }, call),
    'command_not_found',
  )
})

test.each([
  ['exit 3', 'code 3'],
  ['echo "rg: something new" >&2; exit 2', 'something new'],
  ['kill -SEGV $$', 'SIGSEGV'],
])('a failed run (%s) is an error, not an empty result', async (script, message) => {
  const broken = path.join(folder.root, 'broken-rg')
  await writeFile(broken, `#!/bin/sh\n${script}\n`)
  await chmod(broken, 0o755)
  const error = await expectFailure(
    (await searchIn(folder.root, { rgPath: broken })).text({ pattern: 'x' }, call),
    'io_error',
  )
  expect(error.message).toContain(message)
})

test('an exception in the output handler reaches the caller', async () => {
  const run = createRipgrep()({
    args: ['--files', './'],
    cwd: folder.root,
    signal: call.signal,
    onOutput: () => {
      throw new Error('in the sink')
    },
  })
  await expect(run).rejects.toThrow('in the sink')
})
