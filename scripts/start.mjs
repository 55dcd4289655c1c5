import { join } from 'node:path'
import { argv, cwd, env } from 'node:process'
import { pathToFileURL } from 'node:url'
import { ensureElectron } from './lib/electron.mjs'
import { nodeBinary, root, withAbsoluteFolder } from './lib/paths.mjs'
import { attached, explain, say } from './lib/steps.mjs'
import { setup } from './setup.mjs'

/** An Electron that ends with an error this soon, in milliseconds, never showed a window. */
const stillbornWithin = 5000

/**
 * `npm start [-- FOLDER] [--port N] [--no-open]`: the desktop application where Electron's runtime is or can be had, the
 * browser shell everywhere else.
 * @param {string[]} typed the arguments as they were typed
 * @param {string} from the folder they were typed in
 * @returns {Promise<number>} the exit code
 */
export async function start(typed, from) {
  const args = withAbsoluteFolder(typed, from)
  await setup()
  // A port or an address to print belong to the browser shell.
  const wantsBrowser = args.some((arg) => arg === '--no-open' || arg.startsWith('--port'))
  const electron = wantsBrowser ? null : await ensureElectron()
  if (electron !== null && 'path' in electron) {
    const started = Date.now()
    const code = await attached(electron.path, [root, ...args])
    if (code === 0 || code === 2 || Date.now() - started > stillbornWithin) return code
    say(`Electron could not start here (exit code ${code}): using the browser shell.`)
  } else if (electron !== null) {
    say(`Using the browser shell: ${electron.reason}.`)
  }
  return attached(nodeBinary(), [join(root, 'out', 'main', 'serve.js'), ...args])
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  try {
    // npm runs its scripts in the clone's root and leaves word of where it was called.
    process.exitCode = await start(argv.slice(2), env.INIT_CWD ?? cwd())
  } catch (error) {
    process.exitCode = explain(error)
  }
}
