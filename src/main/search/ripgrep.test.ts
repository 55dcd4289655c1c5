import { execFileSync } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { expectFailure } from '../workspace/testing/disk.ts'
import { unpackedPath } from '../base/workerFile.ts'
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

test.each([
  ['names no path', 'rg: Permission denied (os error 13)', ['A folder that ripgrep does not name: Permission denied']],
  ['names a path with a line break', 'rg: ./a\nb: Permission denied (os error 13)', ['a\nb: Permission denied']],
  [
    'comes with advice about the run',
    'rg: ./private: Permission denied (os error 13)\nrg: No files were searched, which means a filter.\nRunning with --debug will show why.',
    ['private: Permission denied'],
  ],
])('a folder that cannot be listed does not end the search when its message %s', async (_what, message, skipped) => {
  const partial = path.join(folder.root, 'partial-rg')
  await writeFile(partial, `#!/bin/sh\nprintf './a.txt\\0'\ncat >&2 <<'END'\n${message}\nEND\nexit 2\n`)
  await chmod(partial, 0o755)
  const found = await (await searchIn(folder.root, { rgPath: partial })).files({}, call)
  expect(found).toMatchObject({ paths: ['a.txt'], skipped })
})

test('more messages about single paths than are kept do not end the search', async () => {
  const partial = path.join(folder.root, 'partial-rg')
  const message = (length: number) => {
    const end = ': Permission denied (os error 13)\n'
    return `rg: ./${'x'.repeat(length - end.length - 6)}${end}`
  }
  // The first 64 KiB, which is what one read returns, end in the middle of a message, after "rg: .".
  const messages = message(59) + message(64).repeat(2000)
  await writeFile(path.join(folder.root, 'messages'), messages)
  await writeFile(partial, `#!/bin/sh\nprintf './a.txt\\0'\ncat messages >&2\nexit 2\n`)
  await chmod(partial, 0o755)
  const found = await (await searchIn(folder.root, { rgPath: partial })).files({}, call)
  expect(found.paths).toEqual(['a.txt'])
  expect(found.skipped).not.toEqual([])
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

test.runIf(process.platform === 'linux')(
  'a pipe in place of an ignore file ends the search with an error',
  { timeout: 60_000 },
  async () => {
    execFileSync('mkfifo', [path.join(folder.root, '.ignore')])
    const error = await expectFailure((await searchIn(folder.root)).text({ pattern: 'x' }, call), 'io_error')
    expect(error.message).toContain('a file did not open')
  },
)
