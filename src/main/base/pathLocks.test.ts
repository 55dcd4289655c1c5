import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createPathLocks } from './pathLocks.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const locks = (maxWaitMs?: number) => createPathLocks({ folder: folder.root, maxWaitMs })

/** Starts a process that locks a path until it ends. */
async function holder(held: string) {
  const module = JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'pathLocks.ts')).href)
  const script = `
    const { createPathLocks } = await import(${module})
    setInterval(() => {}, 1000)
    createPathLocks({ folder: ${JSON.stringify(folder.root)} }).run([${JSON.stringify(held)}], () => { console.log('held'); return new Promise((resolve) => process.stdin.once('data', resolve)) })
      .then(() => console.log('released'))`
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return {
    async release() {
      const released = once(child.stdout, 'data')
      child.stdin.write('release\n')
      await released
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

describe('a path locked by another process', () => {
  it('is rejected after the waiting time, like its parent folders and files below; other paths are free', async () => {
    const other = await holder('/w/src/a.ts')
    const soon = locks(30)
    for (const wanted of ['/w/src/a.ts', '/w/src', '/w', '/w/src/a.ts/below']) {
      await expect(soon.run([wanted], async () => 'ran')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Another Tizona process'),
      })
    }
    expect(await soon.run(['/w/src/a.tsx', '/w/srcs'], async () => 'ran')).toBe('ran')
    await other.kill()
  })

  it('is free after that process releases it', async () => {
    const other = await holder('/w/a')
    const run = locks().run(['/w/a'], async () => 'ran')
    await other.release()
    expect(await run).toBe('ran')
    await other.kill()
  })

  it('is free after that process was killed', async () => {
    const other = await holder('/w/a')
    await other.kill()
    expect(await locks(1000).run(['/w/a'], async () => 'ran')).toBe('ran')
  })

  it('is no longer waited for by a cancelled call', async () => {
    const other = await holder('/w/a')
    const controller = new AbortController()
    const run = locks().run(['/w/a'], async () => 'ran', controller.signal)
    controller.abort()
    await expect(run).rejects.toThrow(/abort/i)
    await other.kill()
  })
})

describe('calls of one process', () => {
  it('for the same path run one at a time, in order', async () => {
    const { run } = locks()
    const order: string[] = []
    const work = (name: string) => async () => {
      order.push(`${name} begins`)
      await new Promise(setImmediate)
      order.push(`${name} ends`)
    }
    await Promise.all([run(['/w/a'], work('one')), run(['/w'], work('two')), run(['/w/a', '/w/b'], work('three'))])
    expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
  })

  it('can lock the same paths and paths below again', async () => {
    const { run } = locks(1000)
    expect(await run(['/w/a'], () => run(['/w/a', '/w/a/b'], () => run(['/w/c'], async () => 'ran')))).toBe('ran')
  })

  it('release their paths when they fail', async () => {
    const { run } = locks(1000)
    await expect(run(['/w/a'], () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await run(['/w/a'], async () => 'ran')).toBe('ran')
  })
})

describe('the lock database', () => {
  it('is recreated if it is damaged', async () => {
    await writeFile(path.join(folder.root, 'locks.db'), 'not a database, but long enough to be read as one'.repeat(100))
    expect(await locks(1000).run(['/w/a'], async () => 'ran')).toBe('ran')
  })

  it('is recreated if it was deleted', async () => {
    const { run } = locks(1000)
    await run(['/w/a'], async () => undefined)
    await rm(path.join(folder.root, 'locks.db'))
    expect(await run(['/w/a'], async () => 'ran')).toBe('ran')
    const other = await holder('/w/a')
    await expect(locks(30).run(['/w/a'], async () => 'ran')).rejects.toMatchObject({ code: 'conflict' })
    await other.kill()
  })

  it('does not prevent writing if it cannot be created', async () => {
    await writeFile(path.join(folder.root, 'file'), '')
    expect(
      await createPathLocks({ folder: path.join(folder.root, 'file', 'below') }).run(['/w/a'], async () => 'ran'),
    ).toBe('ran')
  })
})
