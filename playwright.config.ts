import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig, type Project } from '@playwright/test'
import { chosenPattern } from './e2e/desktop/chosen.ts'
import { chromiumArgs } from './e2e/support/browser.ts'
import { findBrowser } from './scripts/browser.mjs'
import { leftOut } from './scripts/lib/testShare.mjs'
import { desktopObstacle, findElectron } from './scripts/lib/electron.mjs'

// Each story starts Tizona anew, from the same modules. The processes of stories inherit this.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/node-compile')

const long = process.env['TIZONA_TEST_LONG'] === '1'
// Stories of what only the desktop has are told on the harness, whose stand-in for the system they drive.
const desktopOnly = 'e2e/desktop/**'
const ignored = leftOut('story').map((file) => `**/${file}`)
const projects: Project[] = [
  { name: 'browser', testIgnore: [desktopOnly, ...ignored], ...(long ? {} : { grepInvert: /@long/ }) },
  {
    name: 'desktop',
    testIgnore: ignored,
    ...(long ? { grepInvert: /@only-browser/ } : { grep: chosenPattern, grepInvert: /@only-browser|@long/ }),
  },
]
// The same stories on the desktop shell, where it can be shown. scripts/test.mjs reports them as not run elsewhere.
if (findElectron() !== null && desktopObstacle() === null)
  projects.push({ name: 'electron', testIgnore: [desktopOnly, ...ignored], grepInvert: /@only-browser|@not-electron/ })

/** End-to-end stories on the built product. Each starts a Tizona of its own, so they may run side by side. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  fullyParallel: true,
  // One more than cores: a story often waits for a process or a timer.
  workers: availableParallelism() + 1,
  // Nothing is judged by these: a story must pass on a machine several times slower, and end where it hangs.
  timeout: 240_000,
  expect: { timeout: 40_000 },
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: 'reduce' },
    // Tracing each story doubles its processor time, so only a repeated one is traced.
    trace: 'on-first-retry',
    // A click on an element that never appears ends like an expectation, not with the whole story.
    actionTimeout: 40_000,
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: await findBrowser(), args: chromiumArgs },
  },
  projects,
})
