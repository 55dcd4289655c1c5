import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { GitCredentialRequest } from '../../../shared/git/git.ts'
import { findProgramByName } from '../../base/programSearch.ts'
import { createSshPrompts } from '../../core/sshPrompts.ts'
import { answer, say } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { chosenCases } from '../../testing/longForm.ts'
import type { RemoteCore } from './remoteCore.ts'
import { bundleFor } from './serverBundles.ts'
import { freePort, missingSshProgram, startSshServer, type SshServer } from './testing/sshServer.ts'
import { openRemote, type OpenedRemote } from './testing/remoteWindow.ts'
import { writeSmallBundle } from './testing/smallBundle.ts'

// A window on a host behind a real OpenSSH server on loopback.

let server: SshServer
let bundles: string
let userData: string
const open = new Set<RemoteCore>()
const never = new AbortController().signal

/** Connects a window to a host, with a folder there. */
function connectTo(address: string, folder = 'project', environment = {}): Promise<OpenedRemote> {
  return openRemote({ address, bundles, userData, folder: join(server.home, folder), environment }, (core) =>
    open.add(core),
  )
}

describe.skipIf(missingSshProgram !== undefined)('a window on a host behind sshd', () => {
  beforeAll(async () => {
    server = await startSshServer()
    process.env['TIZONA_SSH_CONFIG'] = server.config
    bundles = await mkdtemp(join(tmpdir(), 'tizona-bundles-'))
    userData = await mkdtemp(join(tmpdir(), 'tizona-remote-data-'))
    await writeSmallBundle(bundles)
  }, 60_000)
  afterEach(async () => {
    for (const core of open) await core.dispose()
    open.clear()
  })
  afterAll(async () => {
    delete process.env['TIZONA_SSH_CONFIG']
    await server.stop()
    for (const folder of [bundles, userData]) await rm(folder, { recursive: true, force: true })
  })

  it('brings the server, opens a folder, and reads and saves a file there', async () => {
    const { core, progress } = await connectTo('box')
    const folder = join(server.home, 'project')
    await writeFile(join(folder, 'a.txt'), 'alpha\n')
    expect(progress).toContain('Installing the server on SSH: box')
    expect(await core.handlers['files.read']({ path: 'a.txt' }, never)).toMatchObject({ text: 'alpha\n' })
    const state = await core.handlers['app.state']({}, never)
    expect(state).toMatchObject({
      shell: 'electron',
      remote: { host: { label: 'SSH: box' }, connection: 'connected' },
      workspace: { root: folder },
    })
    expect((await stat(join(server.home, '.tizona'))).mode & 0o777).toBe(0o700)
  }, 60_000)

  it('uses the installed server again without copying it, also for a second window', async () => {
    await connectTo('box')
    const { progress, core } = await connectTo('box', 'other')
    expect(progress).toEqual([])
    expect(await core.handlers['app.state']({}, never)).toMatchObject({ workspace: { name: 'other' } })
  }, 60_000)

  it.each(chosenCases(['bash', 'dash', 'fish', 'zsh', 'tcsh'], 2))(
    'starts under the login shell %s',
    async (shell) => {
      const path = findProgramByName(shell, process.env['PATH'] ?? '')
      // Further shells are not among the programs that tests need.
      if (path === undefined) return
      await server.addHost(shell, [`SetEnv TIZONA_SHELL=${path}`])
      const { core } = await connectTo(shell)
      expect(await core.handlers['workspace.isWorking']({}, never)).toBe(false)
    },
    60_000,
  )

  it('tolerates what login scripts print', async () => {
    const noise = `printf 'Welcome|to%sbox\\n' '|'; echo motd >&2; printf 'no line end'`
    await server.addHost('noisy', [`SetEnv "TIZONA_NOISE=${noise}"`])
    const { core } = await connectTo('noisy')
    expect(await core.handlers['workspace.isWorking']({}, never)).toBe(false)
  }, 60_000)

  it('installs the server again if files of it are missing, and if another build is there', async () => {
    const installed = join(
      server.home,
      '.tizona',
      'server',
      (await readdir(join(server.home, '.tizona', 'server')))[0] ?? '',
    )
    await connectTo('box')
    await rm(join(installed, 'out'), { recursive: true })
    await mkdir(join(server.home, '.tizona', 'server', '0.0.1-old'))
    const { progress } = await connectTo('box')
    expect(progress).toContain('Installing the server on SSH: box')
    expect(await readdir(join(installed, 'out', 'main'))).toEqual(['remote.js'])
  }, 60_000)

  it('refuses a server that arrives damaged, and leaves nothing behind', async () => {
    const other = await mkdtemp(join(tmpdir(), 'tizona-bundles-'))
    await writeSmallBundle(other)
    await changeManifest(other, { sha256: '0'.repeat(64), build: 'wrong-hash' })
    const [reference] = [bundles]
    bundles = other
    try {
      await expect(connectTo('box')).rejects.toMatchObject({
        code: 'io_error',
        message: expect.stringContaining('arrived damaged'),
      })
      await changeManifest(other, { build: 'another-build', sha256: await sha256(join(other, 'server.tar.gz')) })
      await expect(connectTo('box')).rejects.toMatchObject({ message: expect.stringContaining('does not run') })
    } finally {
      bundles = reference
      await rm(other, { recursive: true, force: true })
    }
    const left = await readdir(join(server.home, '.tizona', 'server'))
    expect(left.filter((name) => /part|wrong|another/.test(name) && !name.startsWith('.part-'))).toEqual([])
  }, 60_000)

  it('says that the disk of the host is full, and leaves nothing behind', async () => {
    const full = join(server.home, '.tizona', 'server')
    const kept = `${full}.kept`
    await rename(full, kept)
    // Writing to this device fails with ENOSPC.
    const head = join(server.home, 'bin')
    await mkdir(head)
    await writeFile(
      join(head, 'head'),
      '#!/bin/sh\n[ "$1" = -c ] && exec /usr/bin/head "$@" > /dev/full\nexec /usr/bin/head "$@"\n',
      { mode: 0o755 },
    )
    await server.addHost('full', [`SetEnv "TIZONA_NOISE=PATH=${head}:$PATH"`])
    await expect(connectTo('full')).rejects.toMatchObject({
      code: 'no_space',
      message: 'The server of Tizona could not be copied to SSH: full, because its disk is full.',
    })
    expect(await readdir(full)).toEqual([])
    await rm(full, { recursive: true })
    await rename(kept, full)
  }, 60_000)

  it('begins again with a new server if the old one was killed, and says so', async () => {
    const { core, event, request } = await connectTo('box')
    const folder = join(server.home, 'project')
    await writeFile(join(folder, 'b.txt'), 'beta\n')
    const { id } = await request('terminal.open', { columns: 80, rows: 24 })
    await request('jobs.input', { id, data: 'echo $PPID > server.pid\n' })
    const pid = await vi.waitFor(
      async () => {
        const text = await readFile(join(folder, 'server.pid'), 'utf8')
        expect(text).toMatch(/^\d+\n$/)
        return Number(text)
      },
      { timeout: 10_000 },
    )
    process.kill(pid, 'SIGKILL')
    const lost = core.handlers['files.read']({ path: 'b.txt' }, never)
    await Promise.resolve(lost).catch((error: unknown) => expect(error).toMatchObject({ code: 'io_error' }))
    expect(await event('app.reconnected')).toEqual({ restarted: true })
    expect(await event('notice', ({ message }) => message.includes('restarted'))).toMatchObject({ level: 'warning' })
    expect(await request('files.read', { path: 'b.txt' })).toMatchObject({ text: 'beta\n' })
  }, 60_000)

  it.each([
    ['the relay on the host', 'SIGKILL', 'relay'],
    ['the relay on the host', 'SIGTERM', 'relay'],
    ['ssh on this machine', 'SIGKILL', 'ssh'],
    ['sshd of this connection', 'SIGKILL', 'sshd'],
  ] as const)(
    'returns after %s was ended by %s, with its terminals',
    async (_what, signal, kind) => {
      const { request, event, events } = await connectTo('box')
      const { id } = await request('terminal.open', { columns: 80, rows: 24 })
      await request('jobs.input', { id, data: 'echo rea""dy\n' })
      await event('job.output', ({ data }) => data.includes('ready'))
      const found = await processesOf(kind)
      expect(found.length).toBeGreaterThan(0)
      for (const pid of found) process.kill(pid, signal)
      await request('jobs.input', { id, data: 'echo af""ter\n' })
      await event('job.output', ({ data }) => data.includes('after'))
      expect(events.some(({ name }) => name === 'app.reconnected')).toBe(false)
    },
    60_000,
  )

  it('terminals have the agent of the latest connection, also those that were opened before', async () => {
    for (const name of ['first', 'second'])
      await server.addHost(`agent-${name}`, [
        `SetEnv "TIZONA_NOISE=export TIZONA_USER_DATA=$HOME/agents SSH_AUTH_SOCK=/run/${name}"`,
      ])
    const { request } = await connectTo('agent-first')
    const { id } = await request('terminal.open', { columns: 80, rows: 24 })
    const agentIn = async (): Promise<string> => {
      await request('jobs.input', { id, data: 'readlink "$SSH_AUTH_SOCK" > agent.new; mv agent.new agent\n' })
      const file = join(server.home, 'project', 'agent')
      const text = await vi.waitFor(() => readFile(file, 'utf8'), { timeout: 20_000 })
      await rm(file)
      return text.trim()
    }
    expect(await agentIn()).toBe('/run/first')
    await connectTo('agent-second', 'other')
    expect(await agentIn()).toBe('/run/second')
  }, 60_000)

  it('says that events are missing if a terminal prints more than is kept, and has its latest output', async () => {
    const { request, event, events } = await connectTo('box')
    const { id } = await request('terminal.open', { columns: 80, rows: 24 })
    await request('jobs.input', {
      id,
      data: 'rm -f go done; while [ ! -e go ]; do sleep 0.1; done; seq 9000000; touch done\n',
    })
    await event('job.output', ({ data }) => data.includes('while'))
    server.isDown = true
    server.cut()
    await event('remote.changed', ({ connection }) => connection === 'reconnecting')
    await writeFile(join(server.home, 'project', 'go'), '')
    await vi.waitFor(() => readFile(join(server.home, 'project', 'done')), { timeout: 60_000, interval: 200 })
    server.isDown = false
    await request('remote.reconnect', {})
    expect(await event('app.reconnected')).toEqual({ restarted: false })
    expect(await request('jobs.output', { id })).toContain('9000000')
    const before = events.length
    await request('jobs.input', { id, data: 'echo again$((1+1))\n' })
    await vi.waitFor(() =>
      expect(events.slice(before).some(({ payload }) => JSON.stringify(payload).includes('again2'))).toBe(true),
    )
  }, 120_000)

  it('asks for the passphrase of a key and about an unknown host key in the window', async () => {
    const key = join(server.folder, 'protected_key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-f', key])
    await appendFile(join(server.folder, 'authorized_keys'), await readFile(`${key}.pub`))
    const known = join(server.folder, 'known_protected')
    await server.addHost('protected', [
      `IdentityFile ${key}`,
      `UserKnownHostsFile ${known}`,
      'StrictHostKeyChecking ask',
    ])
    const asked: GitCredentialRequest[] = []
    const prompts = createSshPrompts({
      userData,
      onChanged(requests) {
        for (const each of requests) {
          if (asked.some(({ id }) => id === each.id)) continue
          asked.push(each)
          prompts.answer(each.id, each.kind === 'confirm' ? 'yes' : 'open sesame')
        }
      },
    })
    const { request } = await connectTo('protected', 'project', await prompts.open('first'))
    expect(asked).toMatchObject([
      { kind: 'confirm', secret: false, prompt: expect.stringContaining('SHA256:') },
      { kind: 'passphrase', secret: true, subject: key },
    ])
    expect(await readFile(known, 'utf8')).toContain('ssh-ed25519')
    expect(await request('workspace.isWorking', {})).toBe(false)

    // A prompt that the user cancels ends the attempt.
    const refusing = createSshPrompts({
      userData,
      onChanged: (requests) => requests.forEach(({ id }) => refusing.answer(id, null)),
    })
    await expect(connectTo('protected', 'project', await refusing.open('second'))).rejects.toMatchObject({
      message: expect.stringContaining('Permission denied'),
    })
    await Promise.all([prompts.dispose(), refusing.dispose()])
  }, 60_000)

  it('notices within seconds after a suspend that the line is dead, and goes on without a loss', async () => {
    const { request, event, events } = await connectTo('box')
    const { id } = await request('terminal.open', { columns: 80, rows: 24 })
    await request('jobs.input', { id, data: 'echo rea""dy\n' })
    await event('job.output', ({ data }) => data.includes('ready'))
    server.freeze(true)
    const typed = request('jobs.input', { id, data: 'echo af""ter\n' })
    // The machine wakes up an hour later, in a network without the old connections.
    const now = Date.now
    const slept = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000)
    const before = performance.now()
    try {
      await event('remote.changed', ({ connection }) => connection === 'reconnecting')
      expect(performance.now() - before).toBeLessThan(8000)
      server.freeze(false)
      await typed
      await event('job.output', ({ data }) => data.includes('after'))
      expect(events.some(({ name }) => name === 'app.reconnected')).toBe(false)
    } finally {
      slept.mockRestore()
      server.freeze(false)
    }
  }, 60_000)

  it('can be closed without a connection, and asks first if text was not sent', async () => {
    const { request, event } = await connectTo('box')
    const list = () => request('buffers.list', {})
    expect(await list()).toEqual([])
    server.isDown = true
    try {
      server.cut()
      await event('remote.changed', ({ connection }) => connection === 'reconnecting')
      const kept = request('workspace.isWorking', {})
      expect(await list()).toEqual([{ path: 'Text for SSH: box', dirty: true, text: null }])
      await request('buffers.discard', { paths: [] })
      server.isDown = false
      await request('remote.reconnect', {})
      expect(await kept).toBe(false)
    } finally {
      server.isDown = false
    }
  }, 60_000)

  it('uses a model server of the desktop through a port that ssh forwards back', async () => {
    const endpoint = await startScriptedEndpoint({
      name: 'desktop',
      turns: [{ prompt: /./, steps: [{ title: 'answer', play: () => answer(say('From the desktop.')) }] }],
    })
    try {
      const { port } = new URL(endpoint.url)
      const there = await freePort()
      await server.addHost('forwarding', [`RemoteForward 127.0.0.1:${there} 127.0.0.1:${port}`])
      const { request, event } = await connectTo('forwarding')
      const baseUrl = endpoint.url.replace(port, `${there}`)
      const { endpoint: saved } = await request('endpoints.save', {
        endpoint: { name: 'Desktop', kind: 'openai', baseUrl, hasKey: false },
      })
      await request('settings.set', { model: { endpointId: saved.id, model: 'scripted' } })
      const { info } = await request('conversations.create', {})
      await request('conversations.send', { id: info.id, text: 'hello' })
      expect(await event('conversation.turnEnded')).toMatchObject({ outcome: 'done' })
      const { items } = await request('conversations.open', { id: info.id })
      expect(items.at(-1)).toMatchObject({ text: 'From the desktop.' })
    } finally {
      await endpoint.close()
    }
  }, 60_000)

  it('names a C library that is too old, and musl', async () => {
    const other = await mkdtemp(join(tmpdir(), 'tizona-bundles-'))
    await writeSmallBundle(other, '9.99')
    const facts = { system: 'Linux', machine: 'aarch64' }
    await expect(
      bundleFor(other, 'SSH: box', { ...facts, library: 'glibc 2.36 ldd (Debian) 2.36' }),
    ).rejects.toMatchObject({
      message: 'SSH: box has glibc 2.36. The server of Tizona needs 9.99 or later.',
    })
    await expect(
      bundleFor(other, 'SSH: box', { ...facts, library: 'musl libc (aarch64) /lib/ld-musl-aarch64.so.1' }),
    ).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('has the C library musl') })
    await expect(bundleFor(other, 'SSH: box', { ...facts, system: 'FreeBSD', library: '' })).rejects.toMatchObject({
      message: 'SSH: box runs FreeBSD on aarch64.',
    })
    await rm(other, { recursive: true, force: true })
  })

  it('says why a host cannot be reached', async () => {
    await server.addHost('unknown-key', ['UserKnownHostsFile /dev/null', 'StrictHostKeyChecking yes'])
    await expect(connectTo('unknown-key')).rejects.toMatchObject({
      code: 'network_error',
      message: expect.stringContaining('Host key verification failed'),
      next: expect.stringContaining('known_hosts'),
    })
    await expect(connectTo('-oProxyCommand=touch')).rejects.toMatchObject({ code: 'invalid_arguments' })
  }, 60_000)
})

/** Returns the processes of the connections to the test's host. */
async function processesOf(kind: 'relay' | 'ssh' | 'sshd'): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
      const line = (await read('cmdline')).replaceAll('\0', ' ')
      if (kind === 'relay') return / relay TIZONA-/.test(line) && (await read('environ')).includes(server.home)
      if (kind === 'ssh') return /^\S*ssh -F /.test(line) && line.includes(server.config)
      // Those that a connection has started are children of the one that listens.
      return (
        line.startsWith('sshd') && (await read('stat')).includes(` ${server.pid} `) && !line.includes(server.folder)
      )
    }),
  )
  return pids.filter((_, index) => found[index]).map(Number)
}

async function changeManifest(folder: string, change: object): Promise<void> {
  for (const architecture of ['x64', 'arm64']) {
    const file = join(folder, `server-linux-${architecture}.json`)
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }))
  }
}

async function sha256(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
}
