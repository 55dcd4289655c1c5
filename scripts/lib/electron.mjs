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

/** Electron's runtime on this machine, or null. `ELECTRON_OVERRIDE_DIST_PATH` names a folder that holds one. */
export function findElectron(env = process.env) {
  const folders = env.ELECTRON_OVERRIDE_DIST_PATH ? [env.ELECTRON_OVERRIDE_DIST_PATH] : [join(packageFolder, 'dist')]
  return folders.map((folder) => join(folder, executable)).find((file) => existsSync(file)) ?? null
}

/** Why a window of Electron could not be shown here at all, or null. */
export function desktopObstacle(env = process.env, platform = process.platform, uid = process.getuid?.()) {
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display'
  if (platform === 'linux' && uid === 0 && !env.ELECTRON_DISABLE_SANDBOX) return 'Electron does not run as root'
  return null
}

/**
 * Finds Electron's runtime, or tries to download it, at most once a day when that fails.
 * @returns {Promise<{ path: string } | { reason: string }>}
 */
export async function ensureElectron({ retry = false } = {}) {
  const obstacle = desktopObstacle()
  if (obstacle !== null) return { reason: obstacle }
  const found = findElectron()
  if (found !== null) return { path: found }
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH) return { reason: `ELECTRON_OVERRIDE_DIST_PATH holds no ${executable}` }
  const failed = retry ? null : rememberedFailure()
  if (failed !== null) return { reason: failed }

  const reason = await download()
  const path = findElectron()
  if (reason === null && path !== null) {
    rmSync(failureFile, { force: true })
    return { path }
  }
  const remembered = reason ?? 'the download brought no runtime'
  remember(remembered)
  return { reason: remembered }
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

/** Whether somebody answers at all, before a download that would wait for minutes. */
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
    // A name server that does not answer keeps a socket from timing out by itself.
    setTimeout(() => answer(false), timeout).unref()
  })
}

function rememberedFailure() {
  try {
    const { at, reason } = JSON.parse(readFileSync(failureFile, 'utf8'))
    return Date.now() - at < retryAfter ? reason : null
  } catch {
    // Nothing is remembered.
    return null
  }
}

function remember(reason) {
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(failureFile, JSON.stringify({ at: Date.now(), reason }))
}
