import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it.each([
  ['HTTP', 'nodeHttp.ts'],
  ['the server of the browser host', '../hosts/browser/browserServer.ts'],
])('loads %s without the WebSocket client of Node', async (_what, path) => {
  const file = JSON.stringify(join(import.meta.dirname, path))
  const script = `await import(${file}); console.log(process.moduleLoadList.some((name) => name.includes('undici/undici')))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout.trim()).toBe('false')
})
