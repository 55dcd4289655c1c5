import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import config from '../electron.vite.config.ts'

test('each worker is an entry of its own, under the name by which its starter finds it', () => {
  const main = 'main' in config ? config.main : undefined
  const input: unknown = main?.build?.rollupOptions?.input
  expect(input).toMatchObject({ editWorker: expect.stringMatching(/editWorker\.ts$/), codeWorker: expect.stringMatching(/codeWorker\.ts$/) })
  for (const file of Object.values(input ?? {})) expect(existsSync(String(file)), String(file)).toBe(true)
})
