import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The clone's root folder. */
export const root = resolve(fileURLToPath(import.meta.url), '../../..')
export const nodeModules = join(root, 'node_modules')
/** For what may be thrown away at any time. */
export const cacheFolder = join(nodeModules, '.cache', 'tizona')

const windows = process.platform === 'win32'
const pinnedNode = join(nodeModules, 'node', 'bin', windows ? 'node.exe' : 'node')

/** The Node that everything after the install runs on: the pinned one, which is the one inside Electron. */
export function nodeBinary() {
  return existsSync(pinnedNode) ? pinnedNode : process.execPath
}

/** Both the binary and the link by which npm's scripts find it. */
export const hasPinnedNode = () =>
  existsSync(pinnedNode) && existsSync(join(nodeModules, '.bin', windows ? 'node.cmd' : 'node'))

/**
 * The command line of the application with its folder made absolute: what we start runs in the clone, and a relative folder
 * means the one it was typed in. @param {string[]} args @param {string} from where they were typed
 */
export function withAbsoluteFolder(args, from) {
  return args.map((arg, index) =>
    arg.startsWith('-') || ['--port', '--log-level'].includes(args[index - 1]) ? arg : resolve(from, arg),
  )
}

/** The environment for programs of the clone: its own binaries, the pinned Node among them, come first. */
export function toolEnvironment(extra = {}) {
  const name = Object.keys(process.env).find((key) => key.toLowerCase() === 'path') ?? 'PATH'
  return { ...process.env, [name]: [join(nodeModules, '.bin'), process.env[name]].join(windows ? ';' : ':'), ...extra }
}
