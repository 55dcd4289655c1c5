import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reachHost } from './reachHost.ts'
import { hostOf } from './remoteAddress.ts'

// A host that is a shell on this machine, whose server is a script.

let folder: string
let bundles: string
let home: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-reach-'))
  bundles = join(folder, 'bundles')
  home = join(folder, 'home')
  await mkdir(home)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Writes a bundle whose relay is a script. `$1` is the command, and `$2` the marker. */
async function writeBundle(relay: string): Promise<void> {
  const files = join(folder, 'files')
  await mkdir(join(files, 'bin'), { recursive: true })
  await mkdir(bundles)
  await writeFile(
    join(files, 'bin', 'node'),
    `#!/bin/sh\nshift\n[ "$1" = check ] && echo 1.0.0-test && exit\n${relay}\n`,
  )
  await chmod(join(files, 'bin', 'node'), 0o755)
  const file = join(bundles, 'server.tar.gz')
  await create({ gzip: true, cwd: files, file }, ['bin'])
  const bytes = await readFile(file)
  const manifest = {
    build: '1.0.0-test',
    file: 'server.tar.gz',
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    glibc: '2.0',
  }
  for (const architecture of ['x64', 'arm64'])
    await writeFile(join(bundles, `server-linux-${architecture}.json`), JSON.stringify(manifest))
}

const reach = () =>
  reachHost({
    host: hostOf('box'),
    program: {
      file: '/bin/sh',
      args: ['-c', 'while IFS= read -r s; do eval "$s"; done'],
      env: { PATH: process.env['PATH'], HOME: home },
    },
    bundles,
    signal: AbortSignal.timeout(20_000),
  })
/** Names of the servers on the host. The folder is made with the first upload. */
async function builds(): Promise<string[]> {
  const folder = join(home, '.tizona', 'server')
  return existsSync(folder) ? readdir(folder) : []
}

describe.skipIf(process.platform !== 'linux')('the relay on a host', () => {
  it.each(['KILL', 'TERM'])(
    'that SIG%s ends, ends the connection, and nothing of it runs as a script',
    async (signal) => {
      await writeBundle(`printf started >&3; printf '%s|relay\\n' "$2"; read -r line; kill -${signal} $$`)
      const stream = await reach()
      stream.on('error', () => undefined).resume()
      stream.write(`end\ntouch '${join(home, 'ran')}'\n`)
      if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve))
      expect(await readdir(home)).toEqual(['.tizona'])
    },
  )

  it('that a signal ends before it has started, leaves the files from which other windows run', async () => {
    await writeBundle('kill -KILL $$')
    await expect(reach()).rejects.toMatchObject({
      code: 'io_error',
      message: expect.stringContaining('could not start'),
    })
    expect(await builds()).toEqual(['1.0.0-test'])
  })

  it('gets no server that is shorter on this machine than it should be, which it would wait for', async () => {
    await writeBundle('exit 1')
    await truncate(join(bundles, 'server.tar.gz'), 100)
    await expect(reach()).rejects.toMatchObject({
      code: 'io_error',
      message: expect.stringContaining('The server of this installation is damaged'),
    })
    await rm(join(bundles, 'server.tar.gz'))
    await expect(reach()).rejects.toMatchObject({ message: expect.stringContaining('is damaged') })
    expect((await builds()).filter((name) => !name.startsWith('.part-'))).toEqual([])
  })
})
