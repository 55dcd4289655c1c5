import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import config from '../electron.vite.config.ts'

test('the worker for large edits is an entry of its own, under the name by which edit/editRunner.ts starts it', () => {
  const main = 'main' in config ? config.main : undefined
  const input: unknown = main?.build?.rollupOptions?.input
  expect(input).toMatchObject({ editWorker: expect.stringMatching(/editWorker\.ts$/) })
  for (const file of Object.values(input ?? {})) expect(existsSync(String(file)), String(file)).toBe(true)
})
