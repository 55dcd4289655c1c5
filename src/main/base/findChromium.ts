import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isInOpenFolder } from './openFolders.ts'

/** Commands that start Chromium-based browsers, in order of preference. */
const commands = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'brave-browser',
]
const macApplications = ['Chromium', 'Google Chrome', 'Microsoft Edge', 'Brave Browser'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)
const windowsPaths = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

export interface Machine {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  isExecutable(file: string): boolean
}

export const thisMachine: Machine = { env: process.env, platform: process.platform, isExecutable }

/** Returns the path of a Chromium-based browser, or null. Synchronous, because it runs once at start. */
export function findChromium(machine: Machine = thisMachine): string | null {
  const { env, platform } = machine
  const candidates =
    platform === 'darwin'
      ? macApplications
      : platform === 'win32'
        ? [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].flatMap((base) =>
            base ? windowsPaths.map((path) => join(base, path)) : [],
          )
        : (env['PATH'] ?? '')
            .split(delimiter)
            .filter((folder) => isAbsolute(folder) && !isInOpenFolder(folder))
            .flatMap((folder) => commands.map((command) => join(folder, command)))
  return candidates.find((file) => machine.isExecutable(file) && !isInOpenFolder(file)) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Rules of Chromium by which it resolves no names. The proxy does, so that no page can reach a server by DNS. */
export const hostResolverRules = 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
