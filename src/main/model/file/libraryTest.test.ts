import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('llama.cpp loads without a child process, as in Electron', { timeout: 60_000 }, async () => {
  const module = pathToFileURL(path.join(import.meta.dirname, 'libraryTest.ts')).href
  const script = `
    import childProcess, { ChildProcess } from 'node:child_process'
    const started = []
    const spawn = ChildProcess.prototype.spawn
    ChildProcess.prototype.spawn = function (options) { started.push(options.args.join(' ')); return spawn.call(this, options) }
    const { skipLibraryTest } = await import(${JSON.stringify(module)})
    skipLibraryTest()
    const { getLlama } = await import('node-llama-cpp')
    const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false, maxThreads: 1 })
    console.log(JSON.stringify({ build: llama.buildType, tests: started.filter((each) => each.includes('testBindingBinary')) }))
    process.exit(0)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
  })
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({ build: 'prebuilt', tests: [] })
})
