import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('loads HTTP without the WebSocket client of Node', async () => {
  const file = JSON.stringify(join(import.meta.dirname, 'nodeHttp.ts'))
  const script = `const { http } = await import(${file}); console.log(typeof http.request, process.moduleLoadList.some((name) => name.includes('undici/undici')))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout.trim()).toBe('function false')
})
