import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

const run = promisify(execFile)

const from = (file: string) => JSON.stringify(join(import.meta.dirname, file))
const script = `const { cacheCompiledModules } = await import(${from('compileCache.ts')}); cacheCompiledModules(); await import(${from('appArguments.ts')})`

async function runScript(userData: string): Promise<void> {
  // The tests have a cache of their own (vitest.config.ts), which would be used instead.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  await run(process.execPath, ['--input-type=module', '-e', script], { env: { ...env, TIZONA_USER_DATA: userData } })
}

it('modules that are loaded afterwards are compiled once, in the user data folder', async () => {
  const home = await temporaryFolder()
  await runScript(home.root)
  const [version] = await readdir(join(home.root, 'compiled'))
  expect(version).toContain(process.version)
  expect(await readdir(join(home.root, 'compiled', version ?? ''))).not.toEqual([])
  await home.remove()
})

it.runIf(process.platform === 'linux')('a process whose data folder cannot be created starts without', async () => {
  await runScript('/proc/tizona')
})
