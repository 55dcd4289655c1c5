import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeBinary, nodeModules, root, toolEnvironment } from './paths.mjs'
import { capture, lastLines, step, StepError } from './steps.mjs'

const stampFile = join(root, 'out', '.built')
const inputs = ['src', 'electron.vite.config.ts', 'package.json', 'package-lock.json']

/** Builds if a source is newer than the last build, or always with `force`. @throws StepError */
export async function ensureBuild({ force = false } = {}) {
  if (force || !isBuildCurrent()) await step('Building', build)
}

/** Whether there is a build, and no source is newer. */
export function isBuildCurrent() {
  const built = modified(stampFile)
  return built > 0 && newest(root, inputs) <= built
}

async function build(name) {
  const started = new Date()
  const { code, output } = await capture(
    nodeBinary(),
    [join(nodeModules, 'electron-vite', 'bin', 'electron-vite.js'), 'build'],
    { env: toolEnvironment({ NO_COLOR: '1', FORCE_COLOR: '0' }) },
  )
  if (code !== 0)
    throw new StepError(
      name,
      lastLines(output, 30),
      'Fix the error above. If a package is missing after a pull, run npm ci. In a fresh clone, pull a newer version.',
    )
  mkdirSync(join(root, 'out'), { recursive: true })
  writeFileSync(stampFile, '')
  // Sources that change during the build count as newer.
  utimesSync(stampFile, started, started)
}

/**
 * Returns the latest modification time of files and folders, in milliseconds since the epoch. Includes folders, because
 * a deleted file changes only its folder, and ignores tests.
 */
export function newest(base, names) {
  let latest = 0
  for (const name of names) {
    const path = join(base, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) continue
    latest = Math.max(latest, stat.mtimeMs)
    if (!stat.isDirectory()) continue
    latest = Math.max(
      latest,
      newest(
        path,
        readdirSync(path).filter((entry) => !/\.test\.tsx?$/.test(entry)),
      ),
    )
  }
  return latest
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
