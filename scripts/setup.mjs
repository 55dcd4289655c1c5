import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { ensureBuild } from './lib/build.mjs'
import { checkNode, ensureDependencies } from './lib/dependencies.mjs'
import { ensureElectron } from './lib/electron.mjs'
import { explain, say } from './lib/steps.mjs'

/**
 * Prepares a clone: installs dependencies, the pinned Node and the terminal module, and builds. Uses no packages,
 * because it runs before any are installed. Takes well under a second if there is nothing to do.
 * @throws StepError
 */
export async function setup({ forceBuild = false } = {}) {
  checkNode()
  await ensureDependencies()
  await ensureBuild({ force: forceBuild })
}

// `node scripts/setup.mjs [--build] [--electron]`
if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  try {
    await setup({ forceBuild: argv.includes('--build') })
    if (argv.includes('--electron')) {
      const electron = await ensureElectron({ retry: true })
      say(
        'path' in electron
          ? `Electron's runtime: ${electron.path}`
          : `Electron's runtime is not available: ${electron.reason}.`,
      )
    }
  } catch (error) {
    process.exitCode = explain(error)
  }
}
