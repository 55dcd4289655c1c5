import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('starts with the V8 flags that the modules of Node are compiled for', async () => {
  const script = `
    const { cachedDataVersionTag } = process.getBuiltinModule('node:v8')
    const started = cachedDataVersionTag()
    process.on('exit', () => console.log('same flags:', cachedDataVersionTag() === started))
    process.argv = [process.execPath, 'tizona', '--version']
    await import(${JSON.stringify(join(import.meta.dirname, 'headless.ts'))})`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout).toContain('same flags: true')
})
