import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { wasmExecArgv } from './src/main/base/wasmFlags.ts'

/** `npm run test:real`: real small models on the servers that `npm run real` prepared, one file after the other. */
export default defineConfig({
  test: {
    include: ['src/**/*.real.test.ts'],
    fileParallelism: false,
    // Milliseconds. A prompt of thousands of tokens takes a minute on one core.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    execArgv: [...wasmExecArgv],
    setupFiles: [resolve('scripts/vitest.setup.ts')],
    reporters: ['verbose'],
    env: { TIZONA_ALLOW_ROOT: '1' },
  },
})
