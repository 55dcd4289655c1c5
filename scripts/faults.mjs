import { join } from 'node:path'
import { ensureBrowser } from './browser.mjs'
import { ensureBuild } from './lib/build.mjs'
import { checkNode, ensureDependencies } from './lib/dependencies.mjs'
import { nodeBinary, nodeModules, root, toolEnvironment } from './lib/paths.mjs'
import { attached, explain, say } from './lib/steps.mjs'

// The fault suite in full length: kills, failed writes, clock, server and endurance (docs/reliability.md). `npm test`
// runs a short form of it.

const tests = [
  'src/main/testing/faults',
  'src/main/workspace/writeFaults.test.ts',
  'src/main/workspace/watcher.test.ts',
  'src/main/history/damagedStore.test.ts',
  'src/main/agent/killed.test.ts',
]

async function tool(title, script, args, env = {}) {
  say(`\n== ${title}`)
  const all = { ...env, TIZONA_TEST_LONG: '1' }
  return attached(nodeBinary(), [join(nodeModules, ...script.split('/')), ...args], { env: toolEnvironment(all) })
}

try {
  checkNode()
  await ensureDependencies()
  const files = tests.map((test) => join(root, test))
  const faults = await tool('Faults', 'vitest/vitest.mjs', ['run', '--disable-console-intercept=true', ...files])
  await ensureBuild()
  const env = { TIZONA_BROWSER: await ensureBrowser() }
  const hosts = ['--project=browser', '--project=desktop']
  const stories = await tool('Killed windows', '@playwright/test/cli.js', ['test', 'e2e/kill.spec.ts', ...hosts], env)
  process.exitCode = faults === 0 && stories === 0 ? 0 : 1
} catch (error) {
  explain(error)
  process.exitCode = 1
}
