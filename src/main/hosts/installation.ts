import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths of this installation. */
export interface Installation {
  version: string
  /** `resources/`. Outside the archive in a packaged application. */
  resources: string
  /** The built window, `out/renderer`. */
  renderer: string
  /** The built preload script. */
  preload: string
}

/**
 * Finds the installation that contains this module: the clone, or the archive of the packaged application. Synchronous,
 * because it runs once at start.
 * @throws Error if there is no package.json
 */
export function findInstallation(from: string = dirname(fileURLToPath(import.meta.url))): Installation {
  let folder = from
  // This module is in out/main, out/main/chunks or src/main/hosts. The nearest package.json marks the root in all
  // cases.
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder)
      throw new Error(
        `There is no package.json above ${from}. This installation of Tizona is incomplete. Reinstall it.`,
      )
    folder = parent
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return {
    version,
    // electron-builder unpacks files that are copied or memory-mapped, because an archive supports neither.
    resources: join(folder.replace(/app\.asar$/, 'app.asar.unpacked'), 'resources'),
    renderer: join(folder, 'out', 'renderer'),
    preload: join(folder, 'out', 'preload', 'index.cjs'),
  }
}

/** Returns the data folders that an installation of Tizona may use: the configured one and the system default. */
export function knownDataFolders(): string[] {
  return [...new Set([userDataFolder(), userDataFolder({ ...process.env, TIZONA_USER_DATA: '' })])]
}

/**
 * Returns the folder for settings, secrets and conversations, which all hosts share: `TIZONA_USER_DATA`, or the system
 * default (XDG base directories on Linux).
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
