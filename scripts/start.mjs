import { join } from 'node:path'
import { argv, cwd, env } from 'node:process'
import { pathToFileURL } from 'node:url'
import { ensureElectron } from './lib/electron.mjs'
import { nodeBinary, root, withAbsoluteFolder } from './lib/paths.mjs'
import { attached, explain, say } from './lib/steps.mjs'
import { setup } from './setup.mjs'

/** If Electron exits with an error within this time in milliseconds, it could not show a window. */
const startTimeout = 5000

/**
 * `npm start [-- FOLDER] [--port N] [--no-open]`: starts the desktop host if Electron's runtime is available or can be
 * downloaded, otherwise the browser host.
 * @param {string[]} typed the arguments as they were typed
 * @param {string} from the folder in which they were typed
 * @returns {Promise<number>} the exit code
 */
export async function start(typed, from) {
  const args = withAbsoluteFolder(typed, from)
  await setup()
  // These options belong to the browser host.
  const wantsBrowser = args.some((arg) => arg === '--no-open' || /^--(?:port|public-origin)(?:=|$)/.test(arg))
  const electron = wantsBrowser ? null : await ensureElectron()
  if (electron !== null && 'path' in electron) {
    const started = Date.now()
    const code = await attached(electron.path, [root, ...args])
    if (code === 0 || code === 2 || Date.now() - started > startTimeout) return code
    say(`Electron could not start here (exit code ${code}). Using the browser host.`)
  } else if (electron !== null) {
    say(`Using the browser host: ${electron.reason}.`)
  }
  return attached(nodeBinary(), [join(root, 'out', 'main', 'serve.js'), ...args])
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  try {
    // npm runs scripts in the root of the clone and sets INIT_CWD to the caller's folder.
    process.exitCode = await start(argv.slice(2), env.INIT_CWD ?? cwd())
  } catch (error) {
    process.exitCode = explain(error)
  }
}
