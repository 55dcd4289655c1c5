import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRemoteRecents } from '../../core/remoteRecents.ts'
import { openScriptedHost } from './testing/scriptedHost.ts'

// A host that somebody has taken over. It can do what it likes on the host, but not with the desktop.

const never = new AbortController().signal
let host: Awaited<ReturnType<typeof openScriptedHost>>
afterEach(() => host.core.dispose())

describe('a host that does not keep to the protocol', () => {
  it.each([
    ['no object', null],
    ['an unknown kind', { kind: 'other' }],
    ['a prompt that is none', { kind: 'event', name: 'git.credentialsChanged', payload: 5 }],
    ['a failure without a reason', { kind: 'response', id: 1, ok: false }],
    ['a folder that is no text', { kind: 'event', name: 'workspace.changed', payload: { root: 5 } }],
    ['a folder that is too long', { kind: 'event', name: 'workspace.changed', payload: { root: '/x'.repeat(4000) } }],
    ['a question without a method', { kind: 'ask', id: 1 }],
  ])('ends the connection of its window, which waits for the user: %s', async (_what, message) => {
    host = await openScriptedHost()
    // Requests wait for a connection that the user wants.
    const request = Promise.resolve(host.core.handlers['workspace.isWorking']({}, never))
    host.send(message)
    await vi.waitFor(() =>
      expect(host.events.at(-1)).toMatchObject({
        name: 'remote.changed',
        payload: { connection: 'lost', problem: expect.stringContaining('does not understand') },
      }),
    )
    expect(host.lines()).toBe(1)
    expect(host.folders).toEqual([])
    await host.core.handlers['remote.reconnect']({}, never)
    await vi.waitFor(() => expect(host.lines()).toBe(2))
    request.catch(() => undefined)
  })

  it.each(['remote.changed', 'remote.progress', 'app.reconnected', 'app.detached', 'app.moved'])(
    'sends no event of the desktop: %s',
    async (name) => {
      host = await openScriptedHost()
      const before = host.events.length
      host.send({ kind: 'event', name, payload: {} })
      host.send({ kind: 'event', name: 'recents.changed', payload: [] })
      await vi.waitFor(() => expect(host.events.length).toBeGreaterThan(before))
      expect(host.events.slice(before)).toEqual([{ name: 'recents.changed', payload: [] }])
    },
  )

  it('runs no command in the window but those that show a conversation', async () => {
    host = await openScriptedHost()
    const before = host.events.length
    host.send({ kind: 'event', name: 'command', payload: { id: 'terminal.run', argument: 'x' } })
    host.send({ kind: 'event', name: 'command', payload: { id: 'chat.show', argument: 'x' } })
    await vi.waitFor(() => expect(host.events.length).toBeGreaterThan(before))
    expect(host.events.slice(before)).toEqual([{ name: 'command', payload: { id: 'chat.show', argument: 'x' } }])
  })

  it('opens one window for each request of the user that opens one', async () => {
    host = await openScriptedHost()
    const request = (name: 'workspace.isWorking' | 'sessions.open'): void => {
      const params = name === 'sessions.open' ? { folder: '/a', conversation: null } : {}
      // Never answered.
      void Promise.resolve(host.core.handlers[name](params as never, never)).catch(() => undefined)
    }
    const openMany = async (folder: string): Promise<void> => {
      for (let n = 0; n < 3; n++) host.send({ kind: 'control', name: 'openWindow', folder })
      const before = host.events.length
      host.send({ kind: 'event', name: 'recents.changed', payload: [] })
      await vi.waitFor(() => expect(host.events.length).toBeGreaterThan(before))
    }
    request('workspace.isWorking')
    await openMany('/a')
    expect(host.opened).toEqual([])
    request('sessions.open')
    await openMany('/b')
    expect(host.opened).toEqual(['/b'])
    request('sessions.open')
    await openMany('/c')
    expect(host.opened).toEqual(['/b', '/c'])
  })

  it('is named in its prompts, whatever they contain', async () => {
    host = await openScriptedHost()
    const prompt = { id: '1', operation: '2', kind: 'passphrase', secret: true, subject: '/home/me/key', prompt: 'x' }
    host.send({ kind: 'event', name: 'git.credentialsChanged', payload: [{ ...prompt, machine: 'mine' }] })
    await vi.waitFor(() =>
      expect(host.events.at(-1)).toEqual({
        name: 'git.credentialsChanged',
        payload: [{ ...prompt, machine: 'SSH: box' }],
      }),
    )
  })

  it('does not make the desktop forget the folders of other hosts', async () => {
    host = await openScriptedHost()
    const folder = await mkdtemp(join(tmpdir(), 'tizona-recents-'))
    try {
      const file = join(folder, 'remote-folders.json')
      const good = { address: 'box', folder: '/a' }
      await writeFile(file, JSON.stringify([{ address: 'box', folder: 5 }, good]))
      const recents = createRemoteRecents(file)
      expect(await recents.list()).toEqual([good])
      recents.add({ address: 'box', folder: 'x'.repeat(5000) })
      recents.add({ address: 'box', folder: '/b' })
      expect(await recents.list()).toEqual([{ address: 'box', folder: '/b' }, good])
      // What cannot be read stays in the file, as in all others.
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([
        { address: 'box', folder: '/b' },
        good,
        { address: 'box', folder: 5 },
      ])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
