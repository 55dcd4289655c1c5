import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { writeReleaseFiles } from '../lib/releaseFiles.mjs'

const root = resolve(import.meta.dirname, '..', '..')
const asarCli =
  ['asar.js', 'asar.mjs']
    .map((name) => join(root, 'node_modules/@electron/asar/bin', name))
    .find((file) => existsSync(file)) ?? ''
const run = promisify(execFile)

/**
 * Packs the build, with licenses and bill of materials, with electron-builder and the project's configuration, with a stand-in for Electron's binary.
 * @param scratch an empty folder
 * @returns the `resources` folder of the packed application, with `app.asar` and `app.asar.unpacked`
 */
export async function packApplication(scratch: string): Promise<string> {
  await writeReleaseFiles(root, join(root, 'out'))
  const electron = join(scratch, 'electron-dist')
  await mkdir(electron, { recursive: true })
  await writeFile(join(electron, 'electron'), '#!/bin/sh\n')
  await chmod(join(electron, 'electron'), 0o755)
  const script = `
    import { build, Platform } from 'electron-builder'
    import configuration from ${JSON.stringify(join(root, 'electron-builder.config.ts'))}
    await build({
      projectDir: ${JSON.stringify(root)},
      targets: Platform.LINUX.createTarget(['dir']),
      publish: 'never',
      config: { ...configuration, electronDist: ${JSON.stringify(electron)}, electronFuses: undefined, directories: { ...configuration.directories, output: ${JSON.stringify(join(scratch, 'dist'))} } },
    })`
  await run(process.execPath, ['--input-type=module', '-e', script], { cwd: root })
  return join(scratch, 'dist', 'linux-unpacked', 'resources')
}

/** Lists the paths in an archive. */
export async function listArchive(archive: string): Promise<string[]> {
  return (await run(process.execPath, [asarCli, 'list', archive], { maxBuffer: 1e8 })).stdout.split('\n')
}

/** Extracts an archive, including its unpacked files, to a folder. */
export async function extractArchive(archive: string, folder: string): Promise<void> {
  await run(process.execPath, [asarCli, 'extract', archive, folder])
}
