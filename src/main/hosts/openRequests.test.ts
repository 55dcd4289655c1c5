import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { acceptOpenRequests, openInRunning, type OpenFile } from './openRequests.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let server: Awaited<ReturnType<typeof acceptOpenRequests>> | undefined
beforeEach(async () => void (folder = await temporaryFolder()))
afterEach(async () => {
  await server?.close()
  server = undefined
  await folder.remove()
})

const listen = async (open: OpenFile) => void (server = await acceptOpenRequests(folder.root, open))

it('opens a file in a running process, and waits until its tab is closed', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const asked: unknown[] = []
  await listen(async (target, adopt) => {
    asked.push([target, adopt])
    return { closed }
  })
  const target = { path: '/folder/a.ts', line: 3, column: 14 }
  expect(await openInRunning(folder.root, target, false)).toBe('opened')
  let ended = false
  const waiting = openInRunning(folder.root, target, true).finally(() => (ended = true))
  await expect.poll(() => asked.length).toBe(2)
  expect(ended).toBe(false)
  close()
  expect(await waiting).toBe('closed')
  expect(asked).toEqual([
    [target, false],
    [target, false],
  ])
})

it('asks to open the folder only after no window has it', async () => {
  const asked: boolean[] = []
  await listen(async (_target, adopt) => {
    asked.push(adopt)
    return null
  })
  expect(await openInRunning(folder.root, { path: '/folder/a.ts' }, true)).toBe('notOpen')
  expect(asked).toEqual([false, true])
})

it('passes on why a file could not be shown', async () => {
  await listen(() => Promise.reject(new Error('The window is gone.')))
  await expect(openInRunning(folder.root, { path: '/folder/a.ts' }, true)).rejects.toThrow('The window is gone.')
})

it('reports that Tizona ended before the tab was closed, and ignores the socket of a killed process', async () => {
  let asked = false
  await listen(async () => {
    asked = true
    return { closed: new Promise(() => undefined) }
  })
  const waiting = openInRunning(folder.root, { path: '/folder/a.ts' }, true)
  await expect.poll(() => asked).toBe(true)
  await server?.close()
  expect(await waiting).toBe('lost')
  await writeFile(join(folder.root, 'windows', '1.sock'), '')
  expect(await openInRunning(folder.root, { path: '/folder/a.ts' }, true)).toBe('notOpen')
  expect(await readdir(join(folder.root, 'windows'))).toEqual([])
})

it('two processes with one id, as in two containers, are both asked', async () => {
  const asked: string[] = []
  const accept = (name: string) =>
    acceptOpenRequests(folder.root, async () => {
      asked.push(name)
      return null
    })
  const both = await Promise.all([accept('one'), accept('other')])
  await openInRunning(folder.root, { path: '/folder/a.ts' }, false)
  await Promise.all(both.map((each) => each.close()))
  expect(new Set(asked)).toEqual(new Set(['one', 'other']))
  expect(await readdir(join(folder.root, 'windows'))).toEqual([])
})

// Elsewhere the system refuses the connection, as for a process that was killed.
it.runIf(process.platform === 'linux')('keeps the socket of a process that has too many connections', async () => {
  await mkdir(join(folder.root, 'windows'))
  const address = join(folder.root, 'windows', '1.sock')
  const script = `require('net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log('ready'))`
  const busy = spawn(process.execPath, ['-e', script, address], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void busy.kill('SIGKILL'))
  await once(busy.stdout, 'data')
  busy.kill('SIGSTOP')
  const waiting = Array.from({ length: 8 }, () => connect(address).on('error', () => undefined))
  await expect.poll(() => waiting.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0)
  expect(await openInRunning(folder.root, { path: '/folder/a.ts' }, false)).toBe('notOpen')
  expect(await readdir(join(folder.root, 'windows'))).toEqual(['1.sock'])
  for (const socket of waiting) socket.destroy()
})

const windows = async () => join(folder.root, 'windows', (await readdir(join(folder.root, 'windows')))[0] ?? '')

/** Lets the test decide when time passes. Network and files go on. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

it('goes on without a process that does not respond', async () => {
  await mkdir(join(folder.root, 'windows'))
  const mute = createServer()
  mute.listen(join(folder.root, 'windows', '1.sock'))
  await once(mute, 'listening')
  const asked = once(mute, 'connection').then(([socket]: Socket[]) => socket && once(socket, 'data'))
  holdTime()
  const outcome = openInRunning(folder.root, { path: '/folder/a.ts' }, false)
  await asked
  vi.advanceTimersByTime(3000)
  expect(await outcome).toBe('notOpen')
  mute.close()
})

it('does not open a file for a client that went on to another process', async () => {
  const asked: string[] = []
  await listen(async ({ path }) => {
    asked.push(path)
    return { closed: Promise.resolve() }
  })
  const gone = connect(await windows())
  gone.write('{"path":"/folder/late.ts","adopt":false}\n', () => gone.destroy())
  await once(gone, 'close')
  expect(await openInRunning(folder.root, { path: '/folder/a.ts' }, true)).toBe('closed')
  expect(asked).toEqual(['/folder/a.ts'])
})

it('ends a connection that sends no request', async () => {
  await listen(async () => null)
  holdTime()
  const silent = connect(await windows())
  silent.resume()
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(3000)
  await once(silent, 'close')
})

it('refuses a relative path, whose folder is unknown', async () => {
  await listen(() => Promise.reject(new Error('It was opened.')))
  await expect(openInRunning(folder.root, { path: 'a.ts' }, false)).rejects.toThrow('The path is not absolute.')
})

it('closes although a client does not end its connection', async () => {
  const asked = Promise.withResolvers<void>()
  await listen(async () => {
    asked.resolve()
    return { closed: new Promise(() => undefined) }
  })
  const client = connect({ path: await windows(), allowHalfOpen: true })
  onTestFinished(() => void client.destroy())
  client.on('error', () => undefined)
  client.resume()
  client.write('{"path":"/folder/a.ts","adopt":false}\n')
  await asked.promise
  await server?.close()
})

it('reports why a tab cannot be waited for, but not to a client that does not wait', async () => {
  await listen(async () => ({ closed: Promise.reject(new Error('The tab has no text.')) }))
  const open = (wait: boolean) => openInRunning(folder.root, { path: '/folder/a.ts' }, wait)
  expect(await open(false)).toBe('opened')
  await expect(open(true)).rejects.toThrow('The tab has no text.')
})

it('a folder that ends reports that the tab was not closed', async () => {
  await listen(async () => ({ closed: Promise.reject(new ToolError('cancelled', 'The folder ended.')) }))
  expect(await openInRunning(folder.root, { path: '/folder/a.ts' }, true)).toBe('lost')
})
