import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { roundsOf } from '../testing/longForm.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openJsonFile } from './jsonFile.ts'

const changesEach = roundsOf(300)
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

/** A separate process that adds `name`-0, `name`-1, … to the list in `file` once it is released. */
async function startWriter(file: string, name: string): Promise<() => Promise<number>> {
  const module = (relative: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, relative)).href)
  const script = `
    const { openJsonFile } = await import(${module('jsonFile.ts')})
    const { z } = await import('zod')
    const list = await openJsonFile(${JSON.stringify(file)}, z.array(z.string()), [], (reason) => { throw new Error(reason) })
    console.log('ready')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    for (let index = 0; index < ${changesEach}; index += 1) await list.update((values) => [...values, '${name}-' + index])
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return async () => {
    const ended = once(child, 'close')
    child.stdin.write('go\n')
    const [code] = await ended
    return Number(code)
  }
}

it('concurrent changes of two processes are all kept', async () => {
  const file = path.join(folder.root, 'list.json')
  const writers = await Promise.all(['a', 'b'].map((name) => startWriter(file, name)))
  expect(await Promise.all(writers.map((go) => go()))).toEqual([0, 0])
  const { value } = await openJsonFile(file, z.array(z.string()), [], (reason) => {
    throw new Error(reason)
  })
  const expected = ['a', 'b'].flatMap((name) => Array.from({ length: changesEach }, (_, index) => `${name}-${index}`))
  expect(value.toSorted()).toEqual(expected.toSorted())
})
