import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { capture, step, StepError } from './lib/steps.mjs'

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const macApplications = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/**
 * Finds the Chromium for tests, screenshots and benchmarks: `TIZONA_BROWSER`, one on PATH, or Playwright's own.
 * @returns {Promise<string | undefined>} its path, or undefined if there is none
 */
export async function findBrowser(env = process.env) {
  if (env.TIZONA_BROWSER) return env.TIZONA_BROWSER
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => commands.map((command) => join(folder, command)))
  const candidates = [...onPath, ...(process.platform === 'darwin' ? macApplications : []), ...windowsPlaces(env)]
  for (const file of candidates) {
    // On some systems the command is a script that only prints how to install Chromium.
    if (
      existsSync(file) &&
      (process.platform === 'win32' || (await capture(file, ['--version'], { timeout: 15_000 })).code === 0)
    )
      return file
  }
  const { chromium } = await import('playwright')
  const own = chromium.executablePath()
  return existsSync(own) ? own : undefined
}

/** Finds a Chromium or, as root on Debian, installs one. @throws StepError if there is none */
export async function ensureBrowser() {
  const found = await findBrowser()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'))
    await step('Installing Chromium for the end-to-end tests', install)
  const installed = await findBrowser()
  if (installed !== undefined) return installed
  throw new StepError(
    'Looking for a browser',
    'The end-to-end tests need Chromium or Chrome, but neither was found.',
    'sudo apt-get install -y chromium\nor: npx playwright install chromium\nor set TIZONA_BROWSER to the path of one.',
  )
}

async function install(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await capture('apt-get', args, { env })
    if (code !== 0)
      throw new StepError(
        name,
        `apt-get ${args.join(' ')}: ${output.split('\n').filter(Boolean).slice(-3).join('\n')}`,
        'Install Chromium by hand, or set TIZONA_BROWSER to the path of one.',
      )
  }
}

function windowsPlaces(env) {
  if (process.platform !== 'win32') return []
  const bases = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean)
  return bases.flatMap((base) =>
    ['Google\\Chrome\\Application\\chrome.exe', 'Chromium\\Application\\chrome.exe'].map((place) => join(base, place)),
  )
}
