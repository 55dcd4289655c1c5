import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import { createSshPrompts } from '../../core/sshPrompts.ts'
import { hostOf, programFor } from './remoteAddress.ts'
import { createRemoteCore, type RemoteCore } from './remoteCore.ts'
import { reachHost } from './reachHost.ts'
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
})
