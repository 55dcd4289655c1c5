import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root folder of the clone. */
export const root = resolve(fileURLToPath(import.meta.url), '../../..')
export const nodeModules = join(root, 'node_modules')
/** Folder for files that can be deleted at any time. */
export const cacheFolder = join(nodeModules, '.cache', 'tizona')

const windows = process.platform === 'win32'
const pinnedNode = join(nodeModules, 'node', 'bin', windows ? 'node.exe' : 'node')

/** Returns the Node that runs everything after the install: the pinned version, which Electron contains too. */
export function nodeBinary() {
  return existsSync(pinnedNode) ? pinnedNode : process.execPath
}

/** Whether the pinned Node is installed: the binary, and the link that npm scripts use. */
export const hasPinnedNode = () =>
  existsSync(pinnedNode) && existsSync(join(nodeModules, '.bin', windows ? 'node.cmd' : 'node'))

/**
 * Makes the folder in a command line absolute, because the application runs in the folder of the clone.
 * @param {string[]} args @param {string} from the folder in which they were typed
 */
export function withAbsoluteFolder(args, from) {
  return args.map((arg, index) =>
    arg.startsWith('-') || ['--port', '--log-level', '--public-origin'].includes(args[index - 1])
      ? arg
      : resolve(from, arg),
  )
}

/** Returns the environment for programs of the clone. Its binaries, including the pinned Node, are first on PATH. */
export function toolEnvironment(extra = {}) {
  const name = Object.keys(process.env).find((key) => key.toLowerCase() === 'path') ?? 'PATH'
  return { ...process.env, [name]: [join(nodeModules, '.bin'), process.env[name]].join(windows ? ';' : ':'), ...extra }
}
