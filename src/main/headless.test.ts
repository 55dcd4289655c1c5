import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** Runs `tizona --version`, whose modules are those of every command. `before` runs first. Returns the output. */
async function start(before: string): Promise<string> {
  const entry = JSON.stringify(join(import.meta.dirname, 'headless.ts'))
  const script = `${before}
    process.argv = [process.execPath, 'tizona', '--version']
    await import(${entry})`
  return (await run(process.execPath, ['--input-type=module', '-e', script])).stdout
}

it('starts with the V8 flags that the modules of Node are compiled for', async () => {
  const output = await start(`
    const { cachedDataVersionTag } = process.getBuiltinModule('node:v8')
    const started = cachedDataVersionTag()
    process.on('exit', () => console.log('same flags:', cachedDataVersionTag() === started))`)
  expect(output).toContain('same flags: true')
})

it('starts without the contract of the window, whose schemas take a thirtieth of a start', async () => {
  const output = await start(`
    const loaded = []
    process.getBuiltinModule('node:module').registerHooks({
      load(url, context, next) {
        loaded.push(url.split('/').at(-1))
        return next(url, context)
      },
    })
    process.on('exit', () => console.log(JSON.stringify(loaded)))`)
  const loaded = JSON.parse(output.trim().split('\n').at(-1) ?? '') as string[]
  expect(loaded).toContain('core.ts')
  expect(loaded).not.toContain('protocol.ts')
})
