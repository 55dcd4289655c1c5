import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import { findProgramByName } from '../../base/programSearch.ts'
import { createSshPrompts } from '../../core/sshPrompts.ts'
import { hostOf, programFor } from './remoteAddress.ts'
import { createRemoteCore, type RemoteCore } from './remoteCore.ts'
import { reachHost } from './reachHost.ts'
import { bundleFor } from './serverBundles.ts'
import { missingSshProgram, startSshServer, type SshServer } from './testing/sshServer.ts'
import { writeSmallBundle } from './testing/smallBundle.ts'

// A window on a host behind a real OpenSSH server on loopback.

let server: SshServer
let bundles: string
let userData: string
const open = new Set<RemoteCore>()
const never = new AbortController().signal

interface Opened {
  core: RemoteCore
  events: { name: EventName; payload: Events[EventName] }[]
  progress: string[]
  folder: string
}

/** Connects a window to a host, with a folder there. */
async function connectTo(address: string, folder = 'project'): Promise<Opened> {
  const host = hostOf(address)
  const events: Opened['events'] = []
  const progress: string[] = []
  const core = createRemoteCore({
    host,
    firstEnvironment: {},
    reach: (environment, signal) =>
      reachHost({
        host,
        program: programFor(host.address, environment),
        bundles,
        signal,
        onProgress: (text) => progress.push(text),
      }),
    createPrompts: (onChanged) => createSshPrompts({ userData, onChanged }),
    onFolder: () => undefined,
    local: () => ({
      'app.openExternal': () => undefined,
      'window.open': () => undefined,
      'window.focusFolder': () => false,
      'remote.hosts': () => ({ hosts: [], recents: [] }),
      'remote.connect': () => undefined,
      'remote.cancel': () => undefined,
    }),
  })
  open.add(core)
  core.subscribe((name, payload) => events.push({ name, payload }))
  const path = join(server.home, folder)
  await mkdir(path, { recursive: true })
  await core.open(path, never)
  return { core, events, progress, folder: path }
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
    const { core, folder, progress } = await connectTo('box')
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

  it.each(['bash', 'dash', 'fish', 'zsh', 'tcsh'])('starts under the login shell %s', async (shell) => {
    const path = findProgramByName(shell, process.env['PATH'] ?? '')
    // Further shells are not among the programs that tests need.
    if (path === undefined) return
    await server.addHost(shell, [`SetEnv TIZONA_SHELL=${path}`])
    const { core } = await connectTo(shell)
    expect(await core.handlers['workspace.isWorking']({}, never)).toBe(false)
  }, 60_000)

  it('tolerates what login scripts print', async () => {
    const noise = `printf 'Welcome|to%sbox\\n' '|'; echo motd >&2; printf 'no line end'`
    await server.addHost('noisy', [`SetEnv "TIZONA_NOISE=${noise}"`])
    const { core } = await connectTo('noisy')
    expect(await core.handlers['workspace.isWorking']({}, never)).toBe(false)
  }, 60_000)

  it('installs the server again if files of it are missing, and if another build is there', async () => {
    const installed = join(server.home, '.tizona', 'server', (await readdir(join(server.home, '.tizona', 'server')))[0] ?? '')
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
      await expect(connectTo('box')).rejects.toMatchObject({ code: 'io_error', message: expect.stringContaining('arrived damaged') })
      await changeManifest(other, { build: 'another-build', sha256: await sha256(join(other, 'server.tar.gz')) })
      await expect(connectTo('box')).rejects.toMatchObject({ message: expect.stringContaining('does not run') })
    } finally {
      bundles = reference
      await rm(other, { recursive: true, force: true })
    }
    const left = await readdir(join(server.home, '.tizona', 'server'))
    expect(left.filter((name) => /part|wrong|another/.test(name) && !name.startsWith('.part-'))).toEqual([])
  }, 60_000)

  it('names a C library that is too old, and musl', async () => {
    const other = await mkdtemp(join(tmpdir(), 'tizona-bundles-'))
    await writeSmallBundle(other, '9.99')
    const facts = { system: 'Linux', machine: 'aarch64' }
    await expect(bundleFor(other, 'SSH: box', { ...facts, library: 'glibc 2.36 ldd (Debian) 2.36' })).rejects.toMatchObject({
      message: 'SSH: box has glibc 2.36. The server of Tizona needs 9.99 or later.',
    })
    await expect(
      bundleFor(other, 'SSH: box', { ...facts, library: 'musl libc (aarch64) /lib/ld-musl-aarch64.so.1' }),
    ).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('has the C library musl') })
    await expect(
      bundleFor(other, 'SSH: box', { ...facts, system: 'FreeBSD', library: '' }),
    ).rejects.toMatchObject({ message: 'SSH: box runs FreeBSD on aarch64.' })
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

async function changeManifest(folder: string, change: object): Promise<void> {
  for (const architecture of ['x64', 'arm64']) {
    const file = join(folder, `server-linux-${architecture}.json`)
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }))
  }
}

async function sha256(file: string): Promise<string> {
  return createHash('sha256').update(await readFile(file)).digest('hex')
}
