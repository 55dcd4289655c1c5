import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import type { RemoteCore } from './remoteCore.ts'
import { openRemote } from './testing/remoteWindow.ts'
import { writeSmallBundle } from './testing/smallBundle.ts'

// Containers and WSL distributions, with programs in the place of docker and wsl.exe that take and refuse the same
// arguments. The real ones were not run.

/** `docker exec -i NAME COMMAND…`; refuses other arguments and unknown containers as the real one does. */
const docker = `#!/bin/sh
[ "$1 $2" = 'exec -i' ] || { echo "unknown shorthand flag" >&2; exit 125; }
[ "$3" = web ] || { echo "Error response from daemon: No such container: $3" >&2; exit 1; }
shift 3
exec env -i PATH="$PATH" HOME="$TEST_HOME" TIZONA_USER_DATA="$TEST_HOME/data" TIZONA_SERVER_IDLE_MS=1000 TIZONA_ALLOW_ROOT=1 "$@"
`
const wsl = `#!/bin/sh
[ "$1 $3" = '-d --exec' ] || { echo "Invalid command line argument: $1" >&2; exit 1; }
[ "$2" = 'Ubuntu 24.04' ] || { echo "There is no distribution with the supplied name." >&2; exit 1; }
shift 3
exec env -i PATH="$PATH" HOME="$TEST_HOME" TIZONA_USER_DATA="$TEST_HOME/data" TIZONA_SERVER_IDLE_MS=1000 TIZONA_ALLOW_ROOT=1 "$@"
`

let folder: string
const cores: RemoteCore[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-roads-'))
  const programs = join(folder, 'programs')
  await mkdir(programs)
  for (const [name, text] of Object.entries({ docker, 'wsl.exe': wsl })) {
    await writeFile(join(programs, name), text)
    await chmod(join(programs, name), 0o755)
  }
  await writeSmallBundle(join(folder, 'bundles'))
  vi.stubEnv('PATH', `${programs}${delimiter}${process.env['PATH']}`)
  vi.stubEnv('TEST_HOME', join(folder, 'home'))
  await mkdir(join(folder, 'home'))
})
afterEach(async () => {
  for (const core of cores.splice(0)) await core.dispose()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const open = (address: string) =>
  openRemote(
    {
      address,
      bundles: join(folder, 'bundles'),
      userData: join(folder, 'desktop'),
      folder: join(folder, 'home', 'project'),
    },
    (core) => cores.push(core),
  )

describe.skipIf(process.platform !== 'linux')('other roads than ssh', () => {
  it.each([
    ['docker:web', 'Container: web'],
    ['wsl:Ubuntu 24.04', 'WSL: Ubuntu 24.04'],
  ])(
    '%s brings the server and opens a folder',
    async (address, label) => {
      const { request } = await open(address)
      expect(await request('app.state', {})).toMatchObject({
        remote: { host: { label } },
        workspace: { root: join(folder, 'home', 'project') },
      })
    },
    60_000,
  )

  it('a container uses a model server of this computer through its window', async () => {
    const endpoint = await startScriptedEndpoint({ name: 'desktop', turns: [] })
    try {
      const endpoints = [{ id: 'mine', name: 'Mine', kind: 'openai', baseUrl: endpoint.url }]
      await mkdir(join(folder, 'desktop'))
      await writeFile(join(folder, 'desktop', 'settings.json'), JSON.stringify({ endpoints }))
      const { request } = await open('docker:web')
      await request('endpoints.list', { probe: true })
      await request('endpoints.allow', { id: 'desktop-mine' })
      expect(await request('endpoints.list', { probe: true })).toContainEqual(
        expect.objectContaining({
          endpoint: expect.objectContaining({ id: 'desktop-mine' }),
          models: [expect.objectContaining({ id: 'scripted' })],
        }),
      )
    } finally {
      await endpoint.close()
    }
  }, 60_000)

  it('says what is missing', async () => {
    await expect(open('docker:other')).rejects.toMatchObject({
      message: 'Container: other could not be reached: Error response from daemon: No such container: other',
      next: 'Start the container.',
    })
    await expect(open('wsl:Other')).rejects.toMatchObject({
      message: 'WSL: Other could not be reached: There is no distribution with the supplied name.',
    })
    vi.stubEnv('PATH', '/nonexistent')
    await expect(open('docker:web')).rejects.toMatchObject({ code: 'io_error' })
  }, 60_000)
})
