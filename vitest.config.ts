import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'node', include: ['src/{main,preload,shared}/**/*.test.ts', 'scripts/**/*.test.{ts,mjs}', 'bench/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 20_000 } },
      { test: { name: 'renderer', environment: 'happy-dom', include: ['src/renderer/**/*.test.{ts,tsx}'], testTimeout: 20_000 } },
    ],
  },
})
