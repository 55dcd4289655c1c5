import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

const run = promisify(execFile)

let home: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => void (home = await temporaryFolder()))
afterEach(() => home.remove())

const moduleOf = (answer: string): string =>
  `(function (exports, require, module, __filename, __dirname, dynamicImport) {
    exports.read = async () => [${JSON.stringify(answer)}, (await dynamicImport('node:path')).basename(__filename), require('./other.cjs')]
  })`

/** Runs the module in a process of its own and returns what it prints, and the inode of the code that is kept. */
async function start(beforeKeep = ''): Promise<{ printed: string; inode: number; store: string }> {
  const program = `
    import { enableCompileCache, getCompileCacheDir } from 'node:module'
    import { runCompiledScript } from ${JSON.stringify(join(import.meta.dirname, 'compiledScript.ts'))}
    enableCompileCache(${JSON.stringify(join(home.root, 'compiled'))})
    const script = runCompiledScript(${JSON.stringify(join(home.root, 'module.cjs'))}, 'run')
    console.log(JSON.stringify([getCompileCacheDir(), script ? await script.exports.read() : 'no file']))
    ${beforeKeep}
    script?.keep()`
  // Node would use the folder of this variable.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { env })
  const [folder, answer] = JSON.parse(stdout) as [string, unknown]
  const store = join(folder, 'commands-run')
  const { ino: inode } = await stat(store).catch(() => ({ ino: 0 }))
  return { printed: JSON.stringify(answer), inode, store }
}

async function write(answer: string): Promise<void> {
  await writeFile(join(home.root, 'module.cjs'), moduleOf(answer))
  await writeFile(join(home.root, 'other.cjs'), 'module.exports = typeof require("./module.cjs").read')
}

it('code is kept once and used by later processes', async () => {
  await write('one')
  const first = await start()
  const second = await start()
  expect(first.printed).toBe('["one","module.cjs","function"]')
  expect(first.inode).toBeGreaterThan(0)
  expect(second).toEqual(first)
})

it('code of another source of the same length is not used, and replaced', async () => {
  await write('one')
  const first = await start()
  await write('two')
  const second = await start()
  expect(second.printed).toBe('["two","module.cjs","function"]')
  expect(second.inode).not.toBe(first.inode)
})

it.each([
  ['damaged', (code: Buffer) => code.fill(7, code.length >> 1)],
  ['cut off', (code: Buffer) => code.subarray(0, 5)],
])('code that is %s is not used, and replaced', async (_how, damage) => {
  await write('one')
  const first = await start()
  await writeFile(first.store, damage(await readFile(first.store)))
  const second = await start()
  expect(second.printed).toBe(first.printed)
  expect(second.inode).not.toBe(first.inode)
})

it('a process whose flags have changed keeps no code, because V8 would reject it', async () => {
  await write('one')
  expect(await start("process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only')")).toMatchObject({
    printed: '["one","module.cjs","function"]',
    inode: 0,
  })
})

it('code that cannot be written ends nothing', async () => {
  await write('one')
  // The folder is in the place of the unfinished file.
  const blocked = `
    const { mkdirSync } = await import('node:fs')
    mkdirSync(getCompileCacheDir() + '/commands-run.' + process.pid)`
  expect(await start(blocked)).toMatchObject({ printed: '["one","module.cjs","function"]', inode: 0 })
})

it('without the file there is no script', async () => {
  expect((await start()).printed).toBe('"no file"')
})
