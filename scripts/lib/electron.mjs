import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { cacheFolder, nodeBinary, nodeModules } from './paths.mjs'
import { capture, lastLines, say } from './steps.mjs'

const executables = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }
const executable = executables[process.platform] ?? 'electron'
const packageFolder = join(nodeModules, 'electron')
const failureFile = join(cacheFolder, 'electron-download-failed.json')
const retryAfter = 24 * 60 * 60 * 1000
const connectTimeout = 3000
const downloadTimeout = 10 * 60 * 1000

/**
 * Returns the path of Electron's runtime on this machine, or null. `ELECTRON_OVERRIDE_DIST_PATH` overrides its folder.
 */
export function findElectron(env = process.env) {
  const folders = env.ELECTRON_OVERRIDE_DIST_PATH ? [env.ELECTRON_OVERRIDE_DIST_PATH] : [join(packageFolder, 'dist')]
  return folders.map((folder) => join(folder, executable)).find((file) => existsSync(file)) ?? null
}

/** Returns the reason why Electron cannot show a window on this machine, or null. */
export function desktopObstacle(env = process.env, platform = process.platform, uid = process.getuid?.()) {
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display'
  if (platform === 'linux' && uid === 0 && !env.ELECTRON_DISABLE_SANDBOX) return 'Electron does not run as root'
  return null
}

/**
 * Finds or downloads Electron's runtime. A failed download is repeated after a day, or immediately with `retry`.
 * @returns {Promise<{ path: string } | { reason: string }>}
 */
export async function ensureElectron({ retry = false } = {}) {
  const obstacle = desktopObstacle()
  if (obstacle !== null) return { reason: obstacle }
  const found = findElectron()
  if (found !== null) return { path: found }
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH)
    return { reason: `ELECTRON_OVERRIDE_DIST_PATH contains no ${executable}` }
  const failed = retry ? null : rememberedFailure()
  if (failed !== null) return { reason: failed }

  const reason = await download()
  const path = findElectron()
  if (reason === null && path !== null) {
    rmSync(failureFile, { force: true })
    return { path }
  }
  const failure = reason ?? 'the download contains no runtime'
  rememberFailure(failure)
  return { reason: failure }
}

async function download() {
  const { hostname, port } = new URL(
    process.env.ELECTRON_MIRROR || process.env.npm_config_electron_mirror || 'https://github.com/',
  )
  if (!(await canConnect(hostname, Number(port) || 443)))
    return `its runtime is not installed and ${hostname} cannot be reached`
  say("Downloading Electron's runtime (about 110 MB)…")
  const { code, output } = await capture(nodeBinary(), ['install.js'], { cwd: packageFolder, timeout: downloadTimeout })
  return code === 0 ? null : `its runtime could not be downloaded (${lastLines(output, 1)})`
}

/** Whether a host accepts connections. Checked before a download, which would wait for minutes. */
export function canConnect(host, port, timeout = connectTimeout) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout })
    const answer = (yes) => {
      socket.destroy()
      resolve(yes)
    }
    socket.once('connect', () => answer(true))
    socket.once('timeout', () => answer(false))
    socket.once('error', () => answer(false))
    // The timeout of a socket does not include the name lookup.
    setTimeout(() => answer(false), timeout).unref()
  })
}

function rememberedFailure() {
  try {
    const { at, reason } = JSON.parse(readFileSync(failureFile, 'utf8'))
    return Date.now() - at < retryAfter ? reason : null
  } catch {
    // No failure is stored.
    return null
  }
}

function rememberFailure(reason) {
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(failureFile, JSON.stringify({ at: Date.now(), reason }))
}
