import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { canConnect } from './lib/electron.mjs'
import { hasPinnedNode, nodeBinary, root, toolEnvironment } from './lib/paths.mjs'
import { writeReleaseFiles } from './lib/releaseFiles.mjs'
import { explain, say, step, StepError } from './lib/steps.mjs'
import { setup } from './setup.mjs'

/**
 * `npm run package`: builds the installers of this system (AppImage and deb, dmg, or nsis). `--electron-dist FOLDER`
 * uses an unpacked Electron instead of a download. `--dir` builds the application without an installer.
 */
async function main() {
  const { values } = parseArgs({
    options: { dir: { type: 'boolean', default: false }, 'electron-dist': { type: 'string' } },
  })
  await setup()
  // electron-builder needs the pinned Node. npm scripts run on it, but a plain `node` may be another version.
  if (hasPinnedNode() && !process.versions.node.startsWith('24.')) {
    process.exitCode =
      spawnSync(nodeBinary(), process.argv.slice(1), { stdio: 'inherit', env: toolEnvironment() }).status ?? 1
    return
  }
  await step('Listing the packages and their licenses', () => writeReleaseFiles(root, join(root, 'out')))
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
    // A given certificate that cannot be used must not lead to an unsigned installer.
    const signed = { ...configuration, forceCodeSigning: Boolean(process.env.CSC_LINK) }
    // The Electron in a given folder may not have the fuses that are set in the binary.
    const config = electronDist === undefined ? signed : { ...signed, electronDist, electronFuses: undefined }
    // One after another, so that a failure names the target.
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

/** Returns the installer targets of this system. */
function targets({ linux, mac, win }) {
  return { darwin: mac, win32: win }[process.platform]?.target ?? linux.target
}

/**
 * Explains a failed download. electron-builder downloads the tools of an installer on first use and reports only the
 * failure.
 */
function downloadFailure(name, target, message) {
  const unreachable = /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET)\s+(\S+)|(https?:\/\/[^\s"']+)/.exec(
    message,
  )
  if (unreachable === null) return new StepError(name, `${target}: ${message}`, 'Fix the error above.')
  const from = unreachable[1] ?? unreachable[2]
  return new StepError(
    name,
    `The tools that make the ${target} are downloaded from ${from}, which cannot be reached (${message}).`,
    'Run it where this address can be reached; electron-builder keeps what it has downloaded. --dir builds the application without an installer.',
  )
}

try {
  await main()
} catch (error) {
  process.exitCode = explain(error)
}
