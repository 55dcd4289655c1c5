import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Time limit of an installation in milliseconds. */
const installTimeout = 10 * 60_000

/** A package that a benchmark needs and the project does not. */
export interface RegistryPackage {
  name: string
  version: string
}

/** Returns the folder in the ignored `.cache` where a benchmark installs packages. */
export function packageFolder(benchmark: string): string {
  return join(import.meta.dirname, '..', '.cache', benchmark)
}

/**
 * Installs a package of the npm registry if necessary, without running its scripts.
 * @param folder see packageFolder
 * @returns why it cannot be used; undefined if it can
 */
export async function installPackage(folder: string, { name, version }: RegistryPackage): Promise<string | undefined> {
  const manifest = join(folder, 'node_modules', name, 'package.json')
  if (existsSync(manifest)) return undefined
  await mkdir(folder, { recursive: true })
  if (!existsSync(join(folder, 'package.json'))) await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const npm = spawn(
    'npm',
    ['install', '--save-exact', `${name}@${version}`, '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: installTimeout },
  )
  let said = ''
  npm.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
  const failed = (reason: string) => `npm could not install ${name}@${version} (${reason})`
  let code: unknown
  try {
    ;[code] = await once(npm, 'close')
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
  if (code === 0 && existsSync(manifest)) return undefined
  // npm's first errors are its code, e.g. ETARGET, and what is missing.
  const why = [...said.matchAll(/^npm error (?:code )?(.+)$/gm)].slice(0, 2).map(([, text]) => text)
  return failed(why.length > 0 ? why.join(': ') : `exit code ${String(code)}`)
}
