import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative } from 'node:path'
import { ensureBrowser } from './browser.mjs'
import { ensureBubblewrap } from './lib/bubblewrap.mjs'
import { ensureBuild } from './lib/build.mjs'
import { ensureDebuggers } from './lib/debuggers.mjs'
import { checkNode, ensureDependencies } from './lib/dependencies.mjs'
import { desktopObstacle, findElectron } from './lib/electron.mjs'
import { goEnvironment, typecheckArguments } from './lib/goTools.mjs'
import { createMemoryFolder } from './lib/memoryFolder.mjs'
import { nodeBinary, nodeModules, root, toolEnvironment } from './lib/paths.mjs'
import {
  crashedFiles,
  filesToRepeat,
  fromPlaywright,
  fromVitest,
  joined,
  single,
  storiesOf,
  summary,
  withCrashes,
  withRetries,
} from './lib/results.mjs'
import { leftOutNote, shareSeed } from './lib/testShare.mjs'
import { attached, capture, explain, say, StepError } from './lib/steps.mjs'

// Random tests and stories on every host in full length; src/main/testing/longForm.ts and playwright.config.ts read it.
// Otherwise, without --all, a share of the slow test files runs; lib/testShare.mjs, vitest.config.ts and playwright.config.ts read it.
if (process.argv.includes('--long')) process.env.TIZONA_TEST_LONG = '1'
else if (!process.argv.includes('--all')) process.env.TIZONA_TEST_SHARE = shareSeed()

const unitReport = join(root, 'test-results', 'unit.json')
const storyReport = join(root, 'test-results', 'e2e.json')
const binary = (path) => join(nodeModules, ...path.split('/'))

/** Prints a heading and runs one of the clone's tools with the pinned Node. @returns {Promise<number>} its exit code */
function tool(name, script, args, env = {}) {
  say(`\n== ${name}`)
  return attached(nodeBinary(), [binary(script), ...args], { env: toolEnvironment(env) })
}

/** Checks that only read the sources. They run beside the unit tests, which often wait for processes and timers. */
const staticChecks = {
  'Typecheck of main': ['typescript/bin/tsc', ...typecheckArguments('tsconfig.node.json')],
  'Typecheck of the window': ['typescript/bin/tsc', ...typecheckArguments('tsconfig.web.json')],
  'Typecheck of stories and benchmarks': ['typescript/bin/tsc', ...typecheckArguments('tsconfig.e2e.json')],
  'Tool documents': [join(root, 'scripts', 'docs.ts'), '--check'],
  Lint: ['oxlint/bin/oxlint'],
  'Commit subjects': [join(root, 'scripts', 'lint', 'commitSubjects.mjs')],
  'Unused exports': ['knip/bin/knip.js'],
  'Format (npm run format corrects it)': ['oxfmt/bin/oxfmt', '--check'],
}

async function staticCheck(name, [script, ...args]) {
  const { code, output } = await capture(nodeBinary(), [isAbsolute(script) ? script : binary(script), ...args], {
    env: toolEnvironment(goEnvironment),
  })
  return { ...single(code === 0, name), output: code === 0 ? '' : output }
}

/**
 * Runs the static checks one after the other, because several of them need a gigabyte of memory.
 * @returns a function that prints their output and returns their results
 */
async function startStaticChecks() {
  const ended = []
  for (const [name, command] of Object.entries(staticChecks)) {
    const { output, ...result } = await run(name, () => staticCheck(name, command))
    ended.push({ name, output, result })
  }
  return () =>
    ended.map(({ name, output, result }) => {
      say(`\n== ${name}`)
      if (output) say(output)
      return result
    })
}

async function allUnitTests() {
  await ensureBubblewrap()
  Object.assign(process.env, await ensureDebuggers())
  const memory = createMemoryFolder()
  try {
    return await repeatedUnitTests(memory === null ? {} : { TMPDIR: memory.path })
  } finally {
    memory?.remove()
  }
}

/** Runs the unit tests, and once more those that failed. */
async function repeatedUnitTests(env) {
  const { report, code } = await unitTests('Unit tests', [], env)
  const crashed = crashedFiles(report, code)
  const failed = filesToRepeat(report, crashed)
  if (crashed.length === 0 && failed.length === 0) return withLeftOut(fromVitest(report, code))
  // The second run shows the results of the remaining tests. A crash still counts as a failure.
  const names = [...crashed, ...failed].map((file) => relative(root, file))
  const again = await unitTests(`Unit tests again that crashed or failed: ${names.join(', ')}`, names, env)
  if (again.report === null) return withLeftOut(withCrashes(fromVitest(report, code), names))
  const result = fromVitest(joined(report, again.report), again.code)
  return withLeftOut(withCrashes(withRetries(result, report, again.report), names.slice(0, crashed.length)))
}

function withLeftOut(result) {
  return { ...result, notRun: [...result.notRun, ...leftOutNote('unit', 'unit test files')] }
}

async function unitTests(title, files, env) {
  rmSync(unitReport, { force: true })
  const code = await tool(
    title,
    'vitest/vitest.mjs',
    ['run', ...files, '--reporter=dot', '--reporter=json', `--outputFile.json=${unitReport}`],
    env,
  )
  return { report: readReport(unitReport), code }
}

async function stories() {
  rmSync(storyReport, { force: true })
  const environment = {
    TIZONA_BROWSER: await ensureBrowser(),
    ...(process.getuid?.() === 0 ? { ELECTRON_DISABLE_SANDBOX: '1' } : {}),
  }
  Object.assign(process.env, environment)
  const code = await playwright(environment)
  const report = readReport(storyReport)
  const result = fromPlaywright(report, code)
  result.notRun.push(...leftOutNote('story', 'story files'))
  if (storiesOf(report, 'electron') === 0) {
    const why =
      findElectron() === null
        ? "Electron's runtime is not installed"
        : (desktopObstacle() ?? 'there is no Electron project')
    result.notRun.push({
      count: storiesOf(report, 'browser'),
      why: `end-to-end stories on Electron itself, since ${why}; ${storiesOf(report, 'desktop')} ran on the desktop harness`,
    })
  }
  return result
}

// Shared machines can stall for seconds. The summary names stories that pass only when repeated.
const storyArguments = ['test', '--retries=1', '--forbid-only']

/** Runs Playwright, with a virtual display if Electron is installed and there is no display. */
function playwright(environment) {
  const virtual = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'xvfb-run'))
    .find((file) => existsSync(file))
  if (process.platform !== 'linux' || process.env.DISPLAY || findElectron() === null || virtual === undefined)
    return tool('End-to-end stories', '@playwright/test/cli.js', storyArguments, environment)
  say('\n== End-to-end stories')
  return attached(virtual, ['-a', nodeBinary(), binary('@playwright/test/cli.js'), ...storyArguments], {
    env: toolEnvironment(environment),
  })
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // The run ended before it wrote its report, which counts as one failure.
    return null
  }
}

/** Runs a check. An exception counts as a failure, so that the other checks still run. */
async function run(name, check) {
  try {
    return await check()
  } catch (error) {
    explain(
      error instanceof StepError
        ? error
        : new StepError(
            name,
            error instanceof Error ? (error.stack ?? error.message) : String(error),
            'This is a bug in the scripts; please report it.',
          ),
    )
    return single(false, name)
  }
}

const results = []
try {
  checkNode()
  await ensureDependencies()
  results.push(
    await run('Build', async () => {
      await ensureBuild()
      return single(true, 'Build')
    }),
  )
  const staticResults = startStaticChecks()
  const unitResult = await run('Unit tests', allUnitTests)
  results.push(...(await staticResults)(), unitResult, await run('End-to-end stories', stories))
} catch (error) {
  explain(error)
  results.push({
    ...single(false, 'set-up'),
    notRun: [{ count: Object.keys(staticChecks).length + 3, why: 'the set-up failed' }],
  })
}
const { lines, ok } = summary(results)
// On standard output, where other programs read the summary.
console.log(`\n${lines.join('\n')}`)
process.exitCode = ok ? 0 : 1
