import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Commands of Chromium-based browsers, in order of preference. */
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
const windowsPlaces = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

interface Machine {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  isExecutable(file: string): boolean
}

const thisMachine: Machine = { env: process.env, platform: process.platform, isExecutable }

/** Whether this machine has a display. */
export function hasDisplay({ env, platform }: Pick<Machine, 'env' | 'platform'> = thisMachine): boolean {
  if (platform === 'darwin' || platform === 'win32') return !env['SSH_CONNECTION']
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/** Finds a Chromium-based browser. Synchronous because it runs once at start. */
export function findChromium(machine: Machine = thisMachine): string | null {
  const { env, platform } = machine
  const candidates =
    platform === 'darwin'
      ? macApplications
      : platform === 'win32'
        ? [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].flatMap((base) =>
            base ? windowsPlaces.map((place) => join(base, place)) : [],
          )
        : (env['PATH'] ?? '')
            .split(delimiter)
            .filter(Boolean)
            .flatMap((folder) => commands.map((command) => join(folder, command)))
  return candidates.find((file) => machine.isExecutable(file)) ?? null
}

/**
 * Opens the address in its own window. The address is passed in a file that only this user can read, because other users can
 * read the arguments of a process. A snap cannot read such a file and gets the address as an argument.
 * @returns null, or why no window could be opened
 */
export async function openWindow(browser: string, address: string, userData: string): Promise<string | null> {
  // Chromium does not run as root with its sandbox, and Tizona does not disable the sandbox.
  if (process.getuid?.() === 0) return 'the browser does not run as root'
  const page = join(userData, 'open.html')
  const direct = browser.startsWith('/snap/')
  if (!direct) {
    await mkdir(userData, { recursive: true, mode: 0o700 })
    await rm(page, { force: true })
    await writeFile(
      page,
      `<!doctype html><meta name="referrer" content="no-referrer"><script>location.replace(${JSON.stringify(address)})</script>`,
      { mode: 0o600 },
    )
  }
  const child = spawn(browser, [`--app=${direct ? address : pathToFileURL(page).href}`], {
    detached: true,
    stdio: 'ignore',
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('spawn', () => {
      child.unref()
      resolve(null)
    })
  })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
