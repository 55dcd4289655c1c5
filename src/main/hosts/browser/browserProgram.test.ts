import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'

const clone = path.join(import.meta.dirname, '..', '..', '..', '..')
let home: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  home = await temporaryFolder({
    'package.json': '{ "version": "1.0.0", "type": "module" }',
    'out/renderer/index.html': '<!doctype html>',
    'project/a.txt': 'a',
  })
  for (const name of ['src', 'resources', 'node_modules'])
    await symlink(path.join(clone, name), path.join(home.root, name))
})
afterEach(() => home.remove())

/** Starts the program in an installation whose window is an empty page. */
function start(...args: string[]) {
  const program = path.join(home.root, 'src/main/serve.ts')
  const links = ['--preserve-symlinks', '--preserve-symlinks-main']
  const child = spawn(process.execPath, [...links, program, '--no-open', ...args], {
    env: { ...process.env, TIZONA_USER_DATA: path.join(home.root, 'data') },
    stdio: 'pipe',
  })
  const ended = once(child, 'exit').then(([code]: unknown[]) => code)
  return { child, ended }
}

it.runIf(process.platform !== 'win32')('a stopped process reports that the tab of --wait was not closed', async () => {
  const { child, ended } = start('--wait', path.join(home.root, 'project/a.txt'))
  child.stderr.resume()
  let hasAddress = false
  for await (const line of createInterface({ input: child.stdout })) {
    hasAddress = line.startsWith('Open http')
    if (hasAddress) break
  }
  expect(hasAddress).toBe(true)
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
})

it('a link that leads to itself ends --wait with an error', async () => {
  await symlink('link.txt', path.join(home.root, 'project/link.txt'))
  const { child, ended } = start('--wait', path.join(home.root, 'project/link.txt'))
  expect(await text(child.stderr)).toContain('is not in the open folder')
  expect(await ended).toBe(1)
})
