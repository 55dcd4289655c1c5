import { afterAll, expect, vi } from 'vitest'

// Test files run one after the other in a few processes (`isolate: false`), because starting a process and loading the
// same packages for each file takes longer than most tests. Each file gets its own instances of our modules.
// src/renderer/testing/emptyPage.ts does the same for the page.
vi.resetModules()

const globals = new Set(Object.keys(globalThis))
const before = processState()

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Object.keys(globalThis)) if (!globals.has(name)) Reflect.deleteProperty(globalThis, name)
  expect(processState(), 'Restore the working folder and the environment; later test files share them').toEqual(before)
})

function processState() {
  return { folder: process.cwd(), environment: { ...process.env } }
}
