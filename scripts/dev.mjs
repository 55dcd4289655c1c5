import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureElectron } from './lib/electron.mjs'
import { nodeBinary, nodeModules, root, toolEnvironment } from './lib/paths.mjs'
import { attached, explain, say, watchParent } from './lib/steps.mjs'
import { setup } from './setup.mjs'

/** Where main listens behind Vite, which takes the address the browser sees. */
const windowPort = 5173
const mainPort = 5174

/** `npm run dev [-- FOLDER]`: the window reloads as its sources change. */
async function dev(args) {
  await setup()
  const electron = await ensureElectron()
  if ('path' in electron)
    return attached(nodeBinary(), [join(nodeModules, 'electron-vite', 'bin', 'electron-vite.js'), 'dev', '--', ...args])
  say(
    `Using the browser shell: ${electron.reason}. Main starts anew when its sources change; press Enter for a fresh address then.`,
  )
  const vite = spawn(nodeBinary(), [join(root, 'scripts', 'devServer.ts'), String(windowPort), String(mainPort)], {
    cwd: root,
    env: toolEnvironment(),
    stdio: 'inherit',
  })
  const main = spawn(
    nodeBinary(),
    [
      '--watch-path=src/main',
      '--watch-path=src/shared',
      '--watch-preserve-output',
      'src/main/serve.ts',
      ...args,
      '--no-open',
      '--port',
      String(mainPort),
    ],
    {
      cwd: root,
      env: toolEnvironment(),
      stdio: ['inherit', 'pipe', 'inherit'],
    },
  )
  // The one-time address is main's; the page behind it comes from Vite.
  main.stdout.on('data', (chunk) => process.stdout.write(String(chunk).replaceAll(`:${mainPort}/`, `:${windowPort}/`)))
  const end = () => {
    for (const child of [vite, main]) child.kill()
  }
  // Ctrl+C reaches both by itself; when one ends, by whatever cause, so does the other.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', end)
  const orphaned = watchParent(end)
  const first = await new Promise((resolve) => {
    for (const child of [vite, main]) child.once('exit', (code) => resolve(code ?? 0))
  })
  clearInterval(orphaned)
  end()
  return first
}

try {
  process.exitCode = await dev(process.argv.slice(2))
} catch (error) {
  process.exitCode = explain(error)
}
