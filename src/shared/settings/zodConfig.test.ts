import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('zod compiles no functions from text', () => {
  // In a process of its own, because zod reads the configuration when it is first loaded.
  const program = `
    await import(${JSON.stringify(new URL('zodConfig.ts', import.meta.url).href)})
    console.log((await import('zod')).config().jitless)`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  expect(output).toBe('true\n')
})
