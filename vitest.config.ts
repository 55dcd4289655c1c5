import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { leftOut } from './scripts/lib/testShare.mjs'
import { wasmExecArgv } from './src/main/base/wasmFlags.ts'
import { isLongForm } from './src/main/testing/longForm.ts'

// Milliseconds. Nothing is judged by them: a hanging test must end some time, also on a machine that is many times slower.
const timeouts = { testTimeout: 90_000, hookTimeout: 90_000 }

/** Tests that need real servers (vitest.real.config.ts), or take what `npm test` has no time for (src/main/testing/longForm.ts). */
const left = ['**/*.real.test.ts', ...(isLongForm ? [] : ['**/*.long.test.ts'])]

// Vitest leaves a core unused, which is half of a small machine. Many tests wait for processes that they started, so two more than there are cores.
const maxWorkers = availableParallelism() + 2

export default defineConfig({
  test: {
    maxWorkers,
    expect: { poll: { timeout: 60_000 } },
    // Grammars are parsed in the test processes too; src/main/base/wasmFlags.ts says what V8 does without these. Workers share them.
    execArgv: [...wasmExecArgv],
    // scripts/testing/sharedProcess.ts separates the files that share a process.
    isolate: false,
    setupFiles: [resolve('scripts/testing/sharedProcess.ts'), resolve('scripts/vitest.setup.ts')],
    env: {
      // Processes that tests start again and again compile the same modules.
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/node-compile'),
      // Tests also run as root in containers.
      TIZONA_ALLOW_ROOT: '1',
    },
    projects: [
      {
        test: {
          name: 'node',
          include: ['src/{main,preload,shared}/**/*.test.ts', 'scripts/**/*.test.{ts,mjs}', 'bench/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...left, ...leftOut('unit')],
          ...timeouts,
        },
      },
      {
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['src/renderer/**/*.test.{ts,tsx}'],
          exclude: leftOut('unit'),
          setupFiles: [resolve('src/renderer/testing/emptyPage.ts')],
          ...timeouts,
        },
      },
    ],
  },
})
