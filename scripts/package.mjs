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
  const { values } = parseArgs({
    options: { dir: { type: 'boolean', default: false }, 'electron-dist': { type: 'string' } },
  })
  await setup()
  // electron-builder and the configuration want the pinned Node; npm's scripts have it, a bare `node` may not.
  if (hasPinnedNode() && !process.versions.node.startsWith('24.')) {
    process.exitCode =
      spawnSync(nodeBinary(), process.argv.slice(1), { stdio: 'inherit', env: toolEnvironment() }).status ?? 1
    return
  }
  const { build, Platform } = await import('electron-builder')
  const { default: configuration } = await import('../electron-builder.config.ts')
  const electronDist = values['electron-dist']
  await step('Packaging', async (name) => {
    const host = new URL(process.env.ELECTRON_MIRROR || 'https://github.com/').hostname
    if (electronDist === undefined && !(await canConnect(host, 443))) {
      throw new StepError(
        name,
        `Electron's runtime for this system is downloaded from ${host}, which cannot be reached.`,
        `Run it where ${host} can be reached, set ELECTRON_MIRROR, or name an unpacked Electron: npm run package -- --electron-dist FOLDER`,
      )
    }
    // A folder named by hand may hold any Electron, also one without the switches that are set in the binary.
    const config =
      electronDist === undefined ? configuration : { ...configuration, electronDist, electronFuses: undefined }
    // One after another, so that a failure can say whose it is.
    for (const target of values.dir ? ['dir'] : targets(configuration)) {
      try {
        for (const file of await build({
          config,
          targets: Platform.current().createTarget([target]),
          publish: 'never',
        }))
          say(`  ${file}`)
      } catch (error) {
        throw downloadFailure(name, target, error instanceof Error ? error.message : String(error))
      }
    }
  })
}

/** The installers of this system. */
function targets({ linux, mac, win }) {
  return { darwin: mac, win32: win }[process.platform]?.target ?? linux.target
}

/** electron-builder fetches the tools of each installer when it first needs them, and says no more than that it could not. */
function downloadFailure(name, target, message) {
  const unreachable = /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET)\s+(\S+)|(https?:\/\/[^\s"']+)/.exec(
    message,
  )
  if (unreachable === null) return new StepError(name, `${target}: ${message}`, 'Correct what is named above.')
  const from = unreachable[1] ?? unreachable[2]
  return new StepError(
    name,
    `The tools that make the ${target} are downloaded from ${from}, which cannot be reached (${message}).`,
    'Run it where this address can be reached; electron-builder keeps what it has downloaded. --dir makes the application without an installer.',
  )
}

try {
  await main()
} catch (error) {
  process.exitCode = explain(error)
}
