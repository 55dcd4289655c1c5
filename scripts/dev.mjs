import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureElectron } from './lib/electron.mjs'
import { nodeBinary, nodeModules, root, toolEnvironment } from './lib/paths.mjs'
import { attached, explain, say, watchParent } from './lib/steps.mjs'
import { setup } from './setup.mjs'

/** Ports of Vite, which the browser opens, and of main behind it. */
const windowPort = 5173
const mainPort = 5174

/** `npm run dev [-- FOLDER]`: runs Tizona with hot reload. @returns the exit code */
async function dev(args) {
  await setup()
  const electron = await ensureElectron()
  if ('path' in electron)
    return attached(nodeBinary(), [join(nodeModules, 'electron-vite', 'bin', 'electron-vite.js'), 'dev', '--', ...args])
  say(
    `Using the browser host: ${electron.reason}. Main restarts when its sources change. Press Enter afterwards for a new address.`,
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
  // Main prints its one-time address, but Vite serves the page.
  main.stdout.on('data', (chunk) => process.stdout.write(String(chunk).replaceAll(`:${mainPort}/`, `:${windowPort}/`)))
  const end = () => {
    for (const child of [vite, main]) child.kill()
  }
  // The terminal sends Ctrl+C to both processes. When one ends, the other is ended too.
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
