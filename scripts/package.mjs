import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { canConnect } from './lib/electron.mjs'
import { hasPinnedNode, nodeBinary, toolEnvironment } from './lib/paths.mjs'
import { explain, say, step, StepError } from './lib/steps.mjs'
import { setup } from './setup.mjs'

/**
 * `npm run package`: AppImage and deb, dmg, or nsis, for the system it runs on. `--electron-dist FOLDER` takes an unpacked
 * Electron instead of a download, and `--dir` stops before the installers.
 */
async function main() {
  const { values } = parseArgs({ options: { dir: { type: 'boolean', default: false }, 'electron-dist': { type: 'string' } } })
  await setup()
  // electron-builder and the configuration want the pinned Node; npm's scripts have it, a bare `node` may not.
  if (hasPinnedNode() && !process.versions.node.startsWith('24.')) {
    process.exitCode = spawnSync(nodeBinary(), process.argv.slice(1), { stdio: 'inherit', env: toolEnvironment() }).status ?? 1
    return
  }
  const { build, Platform } = await import('electron-builder')
  const { default: configuration } = await import('../electron-builder.config.ts')
  const electronDist = values['electron-dist']
  await step('Packaging', async (name) => {
    const host = new URL(process.env.ELECTRON_MIRROR || 'https://github.com/').hostname
    if (electronDist === undefined && !(await canConnect(host, 443))) {
      throw new StepError(name, `Electron's runtime for this system is downloaded from ${host}, which cannot be reached.`, `Run it where ${host} can be reached, set ELECTRON_MIRROR, or name an unpacked Electron: npm run package -- --electron-dist FOLDER`)
    }
    try {
      const files = await build({
        // A folder named by hand may hold any Electron, also one without the switches that are set in the binary.
        config: electronDist === undefined ? configuration : { ...configuration, electronDist, electronFuses: undefined },
        targets: Platform.current().createTarget(values.dir ? ['dir'] : undefined),
        publish: 'never',
      })
      for (const file of files) say(`  ${file}`)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const address = /https?:\/\/[^\s"']+/.exec(message)?.[0]
      throw new StepError(name, address === undefined ? message : `${address} could not be downloaded.\n${message}`, address === undefined ? 'Correct what is named above.' : 'Run it where this address can be reached; electron-builder keeps what it has downloaded.')
    }
  })
}

try {
  await main()
} catch (error) {
  process.exitCode = explain(error)
}
