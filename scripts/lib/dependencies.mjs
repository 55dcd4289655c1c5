import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { hasPinnedNode, nodeBinary, nodeModules, toolEnvironment } from './paths.mjs'
import { capture, lastLines, step, StepError } from './steps.mjs'

export const oldestNode = '20.19.0'

/** Checks the version of Node that runs this script. @throws StepError if it is too old */
export function checkNode(version = process.versions.node) {
  if (compare(version, oldestNode) < 0) {
    throw new StepError(
      'Checking Node',
      `This is Node ${version}; Tizona needs ${oldestNode} or newer to install itself.`,
      'Install a newer Node, for example the LTS version from https://nodejs.org, and run the same command again.',
    )
  }
}

function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  const at = left.findIndex((part, index) => part !== right[index])
  return at < 0 ? 0 : left[at] - right[at]
}

/** Installs packages, the pinned Node and the terminal module if they are missing. @throws StepError */
export async function ensureDependencies() {
  if (!hasPackages()) await step('Installing the dependencies', installPackages)
  if (!hasPinnedNode()) await step('Downloading Node 24', fetchNode)
  if (!hasTerminalModule()) await step('Compiling node-pty', compileTerminalModule)
}

/** Whether npm has completed an install. npm writes this record last, so an interrupted install has none. */
export function hasPackages(folder = nodeModules) {
  return existsSync(join(folder, '.package-lock.json'))
}

/** Runs the npm that started this script, or the one on PATH. */
function npm(args, env) {
  const script = process.env.npm_execpath
  if (script !== undefined && /npm-cli\.[cm]?js$/.test(script))
    return capture(process.execPath, [script, ...args], { env })
  return process.platform === 'win32' ? capture('npm.cmd', args, { env, shell: true }) : capture('npm', args, { env })
}

/** Installs packages without their install scripts. The two scripts that are needed are run below by name. */
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
  if (code !== 0) throw new StepError(name, lastLines(output), installHint(output))
}

const installHints = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i,
    'The package registry cannot be reached. Check the network, the proxy, or the registry in your npm configuration, and run the same command again.',
  ],
  [/ENOSPC/, 'The disk is full. Make room (about 1 GB is needed) and run the same command again.'],
  [/EACCES|EPERM/, 'This folder is not writable. Move the clone to a folder of your own, or correct its owner.'],
  [
    /EUSAGE|in sync/,
    'package.json and package-lock.json do not match. Run npm install once, or restore both: git checkout package.json package-lock.json',
  ],
  [
    /E404|ETARGET|notarget/,
    'The registry does not have a package of the lockfile. Check the registry in your npm configuration.',
  ],
]

/** Returns a hint for an error in npm's output. */
export function installHint(output) {
  return (
    installHints.find(([pattern]) => pattern.test(output))?.[1] ??
    'Run npm ci --ignore-scripts to see the complete output of npm, fix the problem, and run the same command again.'
  )
}

/**
 * Runs the install script of the package `node`, which downloads the binary for this system and links it as the `node`
 * that npm scripts use.
 */
async function fetchNode(name) {
  const { code, output } = await npm(
    ['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts', '--loglevel=error'],
    process.env,
  )
  if (code === 0 && hasPinnedNode()) return
  // Any version with the same major number is good enough.
  if (process.versions.node.startsWith('24.')) return
  throw new StepError(name, lastLines(output) || 'The package contains no binary.', installHint(output))
}

const terminalPackage = join(nodeModules, 'node-pty')

function hasTerminalModule() {
  return (
    existsSync(join(terminalPackage, 'build', 'Release', 'pty.node')) ||
    existsSync(join(terminalPackage, 'prebuilds', `${process.platform}-${process.arch}`))
  )
}

/** Compiles node-pty with Node headers from this machine, if possible, so that none are downloaded. */
async function compileTerminalModule(name) {
  const missing = missingCompiler()
  if (missing.length > 0)
    throw new StepError(
      name,
      `The terminal module must be compiled, but ${missing.join(', ')} cannot be found.`,
      compilerHint(),
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
      lastLines(output) || 'The compiler created no pty.node.',
      headers === null
        ? `Node's headers were not found and could not be downloaded. ${installHint(output)}`
        : compilerHint(),
    )
  }
}

/** Returns the folders that can contain headers: those of the package `node`, then those of the running Node. */
function headerCandidates() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const packages = ['node', 'node-bin'].map((prefix) => `${prefix}-${platform}-${process.arch}`)
  return [
    ...packages.flatMap((name) => [join(nodeModules, 'node', 'node_modules', name), join(nodeModules, name)]),
    dirname(dirname(nodeBinary())),
    dirname(dirname(process.execPath)),
  ]
}

/** Returns the first folder that contains `include/node`, or null. */
export function headerFolder(candidates = headerCandidates()) {
  return candidates.find((folder) => existsSync(join(folder, 'include', 'node', 'node_api.h'))) ?? null
}

/** Returns the build tools that are not on PATH. On Windows and macOS, node-gyp finds and reports them itself. */
export function missingCompiler(env = process.env, platform = process.platform) {
  if (platform !== 'linux') return []
  const onPath = (command) =>
    (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, command)))
  const groups = [['make'], ['g++', 'c++', 'clang++'], ['python3', 'python']]
  return groups.filter((names) => !names.some(onPath)).map(([first]) => first)
}

function compilerHint() {
  if (process.platform === 'darwin') return 'xcode-select --install'
  if (process.platform === 'win32')
    return 'Install the "Desktop development with C++" workload of the Visual Studio Build Tools, and Python 3.'
  return 'sudo apt-get install -y build-essential python3\n(other systems: make, a C++ compiler and Python 3), and run the same command again.'
}
