import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from './containment.ts'
import { createDocuments } from './documents.ts'
import { createFileOperations } from './fileOperations.ts'
import { createRestoreTarget } from './restoreTarget.ts'

/*
 * Another process swaps a folder of the workspace for a link to the outside, as fast as it can, while files below the
 * folder are read and changed. TIZONA_RACE_ROUNDS=10000 runs the long form.
 */

const rounds = Number(process.env['TIZONA_RACE_ROUNDS'] ?? 1000)
const secret = 'outside the workspace'

/** Swaps `deep/swap` until it is killed, and prints a character for each swap. Each state lasts up to a millisecond. */
const swapper = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs')
  const [root, outside] = process.argv.slice(1)
  const folder = root + '/deep/swap', aside = root + '/aside'
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const pause = () => Atomics.wait(cell, 0, 0, Math.random())
  const attempt = (act) => { try { act() } catch (error) { if (!['ENOENT', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(error.code)) throw error } }
  for (;;) {
    attempt(() => renameSync(folder, aside)); attempt(() => symlinkSync(outside, folder)); process.stdout.write('.'); pause()
    // A write may have created the folder while it was absent. A link is removed, not its target.
    attempt(() => rmSync(folder, { recursive: true })); attempt(() => renameSync(aside, folder)); pause()
  }`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let outside: string
let swapping: ChildProcess | undefined
let swaps = 0

async function startSwapping(): Promise<void> {
  swaps = 0
  swapping = spawn(process.execPath, ['-e', swapper, path.join(folder.root, 'root'), outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  swapping.stdout?.on('data', (text: Buffer) => (swaps += text.length))
  if (swapping.stdout) await once(swapping.stdout, 'data')
}

beforeEach(async () => {
  folder = await temporaryFolder({
    'root/deep/swap/sub/file.txt': 'inside',
    'root/source/a.txt': 'inside',
    'outside/sub/file.txt': secret,
    'outside/sub/tree/kept.txt': secret,
  })
  outside = path.join(folder.root, 'outside')
})
afterEach(async () => {
  if (swapping && swapping.exitCode === null) {
    swapping.kill('SIGKILL')
    await once(swapping, 'exit')
  }
  swapping = undefined
  await folder.remove()
})

/** Returns the result, or the code of an expected failure. */
async function outcome<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ToolError) return error.code
    if (error instanceof Error && 'syscall' in error && 'code' in error) return String(error.code)
    throw error
  }
}

async function services() {
  const workspace = await openWorkspace(path.join(folder.root, 'root'))
  const documents = createDocuments(workspace, Object.assign(fakeEditor(), { attached: false }))
  const files = createFileOperations(workspace)
  return { documents, files, restore: createRestoreTarget(workspace, documents, files, () => undefined) }
}

// Without Linux's descriptors, a short race remains, as documented in docs/security.md.
describe.runIf(process.platform === 'linux')('while a folder is swapped for a link to the outside', () => {
  it(`no read returns an outside file in ${rounds} rounds`, { timeout: 30 + rounds * 40 }, async () => {
    const { documents, files } = await services()
    for (let round = 0; round < rounds; round++) {
      if (round === 1) await startSwapping()
      const [text, bytes, entries, info] = await Promise.all([
        outcome(documents.read('deep/swap/sub/file.txt').then(({ text: found }) => found)),
        outcome(files.readBytes('deep/swap/sub/file.txt', 1000).then((found) => Buffer.from(found).toString())),
        outcome(files.list('deep/swap/sub').then((found) => found.map(({ name }) => name).join())),
        outcome(files.info('deep/swap/sub/file.txt').then(({ size }) => size)),
      ])
      expect(text).not.toBe(secret)
      expect(bytes).not.toBe(secret)
      expect(entries).not.toContain('tree')
      expect(info).not.toBe(secret.length)
      if (round === 0) expect([text, bytes, entries, info]).toEqual(['inside', 'inside', 'file.txt', 6])
    }
    expect(swaps).toBeGreaterThan(10)
    expect(swapping?.exitCode).toBeNull()
  })

  it(`no change reaches the outside in ${rounds} rounds`, { timeout: 30 + rounds * 80 }, async () => {
    const { documents, files, restore } = await services()
    const open = (await readdir('/proc/self/fd')).length
    for (let round = 0; round < rounds; round++) {
      if (round === 1) await startSwapping()
      const at = `deep/swap/sub/n${round}`
      await outcome(files.createDirectory('deep/swap/sub/tree'))
      const results = await Promise.all([
        outcome(documents.write(`${at}.txt`, 'new').then(() => 'done')),
        outcome(documents.write('deep/swap/sub/file.txt', `inside ${round}`).then(() => 'done')),
        outcome(files.createDirectory(`${at}/made/deep`).then(() => 'done')),
        outcome(files.createFile(`${at}-empty`).then(() => 'done')),
        outcome(files.copy('source', `${at}-copy`).then(() => 'done')),
        outcome(files.delete('deep/swap/sub/tree', { recursive: true }).then(() => 'done')),
        outcome(restore.write(`${at}-restored`, Buffer.from('new'), 0o644).then(() => 'done')),
        outcome(restore.link(`${at}-link`, 'file.txt').then(() => 'done')),
        outcome(files.setMode('deep/swap/sub/file.txt', 0o600).then(() => 'done')),
      ])
      if (round === 0) expect(results).toEqual(results.map(() => 'done'))
    }
    expect(swaps).toBeGreaterThan(10)
    // A leak would leave one descriptor open per failed round.
    expect((await readdir('/proc/self/fd')).length).toBeLessThan(open + 10)
    expect(swapping?.exitCode).toBeNull()
    expect((await readdir(outside, { recursive: true })).toSorted()).toEqual([
      'sub',
      'sub/file.txt',
      'sub/tree',
      'sub/tree/kept.txt',
    ])
    expect(await readFile(path.join(outside, 'sub/file.txt'), 'utf8')).toBe(secret)
  })

  it(`no move or deletion takes an outside file in ${rounds} rounds`, { timeout: 30 + rounds * 80 }, async () => {
    const { documents, files } = await services()
    const moved = path.join(folder.root, 'root/moved')
    await mkdir(moved)
    // Without a swap, each succeeds. With swaps, a busy machine may let none succeed.
    await documents.write('deep/swap/sub/tree/kept.txt', 'inside')
    await files.copy('deep/swap/sub/tree', 'moved/copied')
    await files.move('deep/swap/sub/tree/kept.txt', 'moved/moved')
    await startSwapping()
    for (let round = 1; round < rounds; round++) {
      await outcome(documents.write('deep/swap/sub/tree/kept.txt', 'inside'))
      await Promise.all([
        outcome(files.move('deep/swap/sub/tree/kept.txt', `moved/${round}`)),
        outcome(files.copy('deep/swap/sub/tree', `moved/copy${round}`)),
        outcome(files.delete('deep/swap/sub/tree/kept.txt')),
      ])
    }
    expect(swaps).toBeGreaterThan(10)
    expect(swapping?.exitCode).toBeNull()
    const taken = (await readdir(moved, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    expect(taken.length).toBeGreaterThanOrEqual(2)
    for (const { parentPath, name } of taken) expect(await readFile(path.join(parentPath, name), 'utf8')).toBe('inside')
    expect(await readFile(path.join(outside, 'sub/tree/kept.txt'), 'utf8')).toBe(secret)
  })
})
