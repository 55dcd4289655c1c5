import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'
import { findInstallation } from '../../installation.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..', '..')

/**
 * Writes a bundle that runs the sources of this clone with its Node, so that tests need no build.
 * @param glibc the minimum that its manifest names
 */
export async function writeSmallBundle(folder: string, glibc = '2.28'): Promise<void> {
  const files = join(folder, 'files')
  await mkdir(join(files, 'bin'), { recursive: true })
  await mkdir(join(files, 'out', 'main'), { recursive: true })
  await writeFile(join(files, 'bin', 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
  await chmod(join(files, 'bin', 'node'), 0o755)
  const entry = join(root, 'src', 'main', 'remote.ts')
  await writeFile(join(files, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(files, 'out', 'main', 'remote.js'),
    `process.argv[1] = ${JSON.stringify(entry)}\nawait import(process.argv[1])\n`,
  )
  const file = 'server.tar.gz'
  await create({ gzip: true, portable: true, cwd: files, file: join(folder, file) }, ['bin', 'out', 'package.json'])
  const bytes = await readFile(join(folder, file))
  const manifest = {
    build: `clone-${findInstallation().version}`,
    file,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    glibc,
  }
  for (const architecture of ['x64', 'arm64'])
    await writeFile(join(folder, `server-linux-${architecture}.json`), JSON.stringify(manifest))
}
