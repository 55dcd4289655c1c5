import { open, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeFolder } from '../../base/makeFolder.ts'
import { safeSearchPath, searchPathOf } from '../../base/programSearch.ts'
import { startDetached } from '../../base/startProcess.ts'
import { thisMachine, type Machine } from '../../base/findChromium.ts'

/**
 * Has no effect if the browser is already running, so the page removes WebRTC as well (renderer/platform/webrtc.ts).
 */
const privacyArguments = ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp']

/** Whether this process can show windows. A session over SSH on macOS or Windows cannot. */
export function hasDisplay({ env, platform }: Pick<Machine, 'env' | 'platform'> = thisMachine): boolean {
  if (platform === 'darwin' || platform === 'win32') return !env['SSH_CONNECTION']
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/**
 * Opens a URL in its own browser window.
 * @returns null, or the reason why no window could be opened
 */
export async function openWindow(browser: string, address: string, userData: string): Promise<string | null> {
  // As root, Chromium only runs without its sandbox, which Tizona never disables.
  if (process.getuid?.() === 0) return 'the browser does not run as root'
  const page = await writeOpeningPage(address, await pageFolder(browser, userData))
  const child = startDetached(browser, [...privacyArguments, `--app=${page}`], {
    startedBy: 'tizona',
    // The browser is often a script, which starts other programs by name.
    env: { ...process.env, PATH: safeSearchPath(searchPathOf(process.env)) },
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('spawn', () => {
      child.unref()
      resolve(null)
    })
  })
}

/**
 * Writes a page that redirects to the URL. Only this user can read it, whereas other users can read a process's
 * arguments.
 * @returns the URL of the page
 */
export async function writeOpeningPage(address: string, folder: string): Promise<string> {
  const page = join(folder, 'open.html')
  await makeFolder(folder)
  await rm(page, { force: true })
  const script = `location.replace(${JSON.stringify(address)})`
  await writeFile(page, `<!doctype html><meta name="referrer" content="no-referrer"><script>${script}</script>`, {
    mode: 0o600,
    flag: 'wx',
  })
  return pathToFileURL(page).href
}

/**
 * Returns a folder that the browser can read: Tizona's, or for a snap, which cannot see hidden folders in the home
 * folder, the snap's own.
 * @param home the user's home folder
 */
export async function pageFolder(browser: string, userData: string, home = homedir()): Promise<string> {
  const snap = await snapName(browser)
  return snap === undefined ? userData : join(home, 'snap', snap, 'common', 'tizona')
}

/** Returns the name of the snap that a command starts; the command can be a script of the distribution. */
async function snapName(browser: string): Promise<string | undefined> {
  const inSnap = (path: string) => /(?:^|[\s"'=])\/snap\/(?:bin\/)?([a-z\d-]+)/.exec(path)?.[1]
  const found = inSnap(browser)
  if (found !== undefined) return found
  const start = Buffer.alloc(4096)
  try {
    const file = await open(browser)
    try {
      const { bytesRead } = await file.read(start, 0, start.length, 0)
      const text = start.toString('latin1', 0, bytesRead)
      return text.startsWith('#!') ? inSnap(text) : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
