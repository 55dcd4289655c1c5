import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the parts of this copy of Tizona lie. */
export interface Installation {
  version: string
  /** `resources/`, as plain files even in a packaged application. */
  resources: string
  /** The built window, `out/renderer`. */
  renderer: string
  /** The built preload script. */
  preload: string
}

/**
 * Finds the installation this code runs from: the clone, or the packaged application's archive. Read once at start,
 * before anything else runs, hence synchronously.
 */
export function findInstallation(from: string = dirname(fileURLToPath(import.meta.url))): Installation {
  let folder = from
  // Bundled code lies in out/main or out/main/chunks, sources in src/main/hosts: the nearest package.json is the root of all three.
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder)
      throw new Error(`No package.json above ${from}: this copy of Tizona is incomplete. Install it again.`)
    folder = parent
  }
  // Our own package.json, which always has a version.
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return {
    version,
    // Files that are copied or mapped cannot stay inside the archive; the packager unpacks them beside it.
    resources: join(folder.replace(/app\.asar$/, 'app.asar.unpacked'), 'resources'),
    renderer: join(folder, 'out', 'renderer'),
    preload: join(folder, 'out', 'preload', 'index.cjs'),
  }
}

/**
 * The folder for settings, secrets and conversations, the same for every shell. `TIZONA_USER_DATA` names another one.
 * Otherwise the place each system sets aside for it (XDG base directories on Linux).
 */
export function userDataFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (env['TIZONA_USER_DATA']) return env['TIZONA_USER_DATA']
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Tizona')
  if (platform === 'win32') return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'Tizona')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'Tizona')
}
