import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { hasPinnedNode, nodeBinary, nodeModules, root, toolEnvironment } from './paths.mjs'
import { capture, lastLines, step, StepError } from './steps.mjs'

export const oldestNode = '20.19.0'

/** @throws StepError when the Node that runs us is too old. */
export function checkNode(version = process.versions.node) {
  if (compare(version, oldestNode) < 0) {
    throw new StepError(
      'Checking Node',
      `This is Node ${version}; Tizona needs ${oldestNode} or newer to install itself.`,
      'Install a newer Node, for example the LTS from https://nodejs.org, and run the same command again.',
    )
  }
}

function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  const at = left.findIndex((part, index) => part !== right[index])
  return at < 0 ? 0 : left[at] - right[at]
}

/** Installs whatever is missing; does nothing, in milliseconds, when everything stands. @throws StepError */
export async function ensureDependencies() {
  if (!isInstalled(readJson('package-lock.json'), readJson('node_modules/.package-lock.json')))
    await step('Installing the dependencies', installPackages)
  if (!hasPinnedNode()) await step('Fetching Node 24', fetchNode)
  if (!hasTerminalModule()) await step('Compiling node-pty', compileTerminalModule)
}

/**
 * Whether what npm says it installed is what the lockfile asks for. `installed` is npm's own record, written at the very
 * end of an install, so an interrupted one counts as none. Optional packages may be missing: they are for other systems.
 */
export function isInstalled(lock, installed) {
  if (lock === null)
    throw new StepError(
      'Reading package-lock.json',
      'package-lock.json is missing or is not JSON.',
      'Restore it: git checkout package-lock.json',
    )
  if (installed === null) return false
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true
    const present = installed.packages[path]
    return present === undefined ? wanted.optional === true : present.version === wanted.version
  })
}

function readJson(name) {
  try {
    return JSON.parse(readFileSync(join(root, name), 'utf8'))
  } catch {
    // Missing and unreadable are the same to those who ask: not installed.
    return null
  }
}

/** npm as it was called, else the one on PATH. */
function npm(args, env) {
  const script = process.env.npm_execpath
  if (script !== undefined && /npm-cli\.[cm]?js$/.test(script))
    return capture(process.execPath, [script, ...args], { env })
  return process.platform === 'win32' ? capture('npm.cmd', args, { env, shell: true }) : capture('npm', args, { env })
}

/**
 * From the lockfile, without any package's install script: the two that are needed run by name below, so it does not
 * matter whether this npm knows `allowScripts`.
 */
async function installPackages(name) {
  const args = [
    'ci',
    '--ignore-scripts',
    '--engine-strict=false',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const { code, output } = await npm(args, { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1' })
  if (code !== 0) throw new StepError(name, lastLines(output), installRemedy(output))
}

const remedies = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i,
    'The package registry cannot be reached. Check the network, the proxy, or the registry in your npm configuration, and run the same command again.',
  ],
  [/ENOSPC/, 'The disk is full. Make room (about 1 GB is needed) and run the same command again.'],
  [/EACCES|EPERM/, 'This folder may not be written. Move the clone into a folder of your own, or correct its owner.'],
  [
    /EUSAGE|in sync/,
    'package.json and package-lock.json do not belong together. Run npm install once, or restore both: git checkout package.json package-lock.json',
  ],
  [
    /E404|ETARGET|notarget/,
    'The registry does not have a package of the lockfile. Check the registry in your npm configuration.',
  ],
]

/** What a user can do about npm's error. */
export function installRemedy(output) {
  return (
    remedies.find(([pattern]) => pattern.test(output))?.[1] ??
    'Run npm ci --ignore-scripts to see everything npm says, correct it, and run the same command again.'
  )
}

/**
 * The `node` package fetches the binary for this system in its install script; the rebuild runs that, and links the binary
 * as the `node` that npm's scripts find first.
 */
async function fetchNode(name) {
  const { code, output } = await npm(
    ['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts', '--loglevel=error'],
    process.env,
  )
  if (code === 0 && hasPinnedNode()) return
  // The same major version serves as well.
  if (process.versions.node.startsWith('24.')) return
  throw new StepError(name, lastLines(output) || 'The package brought no binary.', installRemedy(output))
}

const terminalPackage = join(nodeModules, 'node-pty')

function hasTerminalModule() {
  return (
    existsSync(join(terminalPackage, 'build', 'Release', 'pty.node')) ||
    existsSync(join(terminalPackage, 'prebuilds', `${process.platform}-${process.arch}`))
  )
}

/** Compiled against headers that are here already, so that nothing is downloaded for it. */
async function compileTerminalModule(name) {
  const missing = missingCompiler()
  if (missing.length > 0)
    throw new StepError(
      name,
      `The terminal is compiled on this machine, and ${missing.join(', ')} cannot be found.`,
      compilerRemedy(),
    )
  const headers = headerFolder()
  const env = toolEnvironment(headers === null ? {} : { npm_config_nodedir: headers })
  const { code, output } = await npm(
    ['rebuild', 'node-pty', '--ignore-scripts=false', '--foreground-scripts', '--loglevel=error'],
    env,
  )
  if (code !== 0 || !hasTerminalModule()) {
    throw new StepError(
      name,
      lastLines(output) || 'The compiler left no pty.node.',
      headers === null
        ? `Node's headers are not here and could not be fetched. ${installRemedy(output)}`
        : compilerRemedy(),
    )
  }
}

/** Where headers may lie: those of the `node` package, else those of the Node that runs. */
function headerPlaces() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const packages = ['node', 'node-bin'].map((prefix) => `${prefix}-${platform}-${process.arch}`)
  return [
    ...packages.flatMap((name) => [join(nodeModules, 'node', 'node_modules', name), join(nodeModules, name)]),
    dirname(dirname(nodeBinary())),
    dirname(dirname(process.execPath)),
  ]
}

/** The first folder that holds `include/node`, or null. */
export function headerFolder(places = headerPlaces()) {
  return places.find((folder) => existsSync(join(folder, 'include', 'node', 'node_api.h'))) ?? null
}

/** What of a compiler's parts is not on PATH. Windows and macOS find theirs by other means, and say so themselves. */
export function missingCompiler(env = process.env, platform = process.platform) {
  if (platform !== 'linux') return []
  const onPath = (command) =>
    (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, command)))
  const groups = [['make'], ['g++', 'c++', 'clang++'], ['python3', 'python']]
  return groups.filter((names) => !names.some(onPath)).map(([first]) => first)
}

function compilerRemedy() {
  if (process.platform === 'darwin') return 'xcode-select --install'
  if (process.platform === 'win32')
    return 'Install the "Desktop development with C++" workload of the Visual Studio Build Tools, and Python 3.'
  return 'sudo apt-get install -y build-essential python3\n(other systems: make, a C++ compiler and Python 3), and run the same command again.'
}
