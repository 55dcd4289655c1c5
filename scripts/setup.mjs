import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { ensureBuild } from './lib/build.mjs'
import { checkNode, ensureDependencies } from './lib/dependencies.mjs'
import { ensureElectron } from './lib/electron.mjs'
import { explain, say } from './lib/steps.mjs'

/**
 * Makes a clone ready to run: dependencies, the pinned Node, the terminal module, a build. Plain Node without any package,
 * since it runs before anything is installed. Does nothing, in well under a second, when all of it stands.
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
