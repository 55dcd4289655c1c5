import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { startProcess } from './startProcess.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ '.git/HEAD': 'ref: refs/heads/main\n', 'a.txt': 'needle\n' })
})
afterEach(() => folder.remove())

/**
 * Runs module code in a process with few file descriptors. The code can call `exhaust()`, which uses up all of them,
 * and `release()`.
 */
async function withFewFiles(body: string): Promise<unknown> {
  const module = (relative: string): string =>
    JSON.stringify(pathToFileURL(path.join(import.meta.dirname, relative)).href)
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { createRipgrep } from ${module('../search/ripgrep.ts')}
    import { runGit } from ${module('../git/runGit.ts')}
    import { createStdioTransport } from ${module('../mcp/stdioTransport.ts')}
    import { createJobs } from ${module('../command/jobs.ts')}
    const taken = []
    const exhaust = () => { try { for (;;) taken.push(openSync('/dev/null')) } catch (error) { if (error.code !== 'EMFILE') throw error } }
    const release = () => { for (const file of taken.splice(0)) closeSync(file) }
    const folder = ${JSON.stringify(folder.root)}
    const { signal } = new AbortController()
    const failureOf = async (work) => { try { await work(); return 'ok' } catch (error) { return error.name + ' ' + error.code + ': ' + error.message } }
    ${body}
  `
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', 'ulimit -n 100; exec "$0" --input-type=module --no-warnings -e "$1"', process.execPath, script],
    { cwd: '/' },
  )
  return JSON.parse(stdout)
}

test('a process without free file descriptors reports it, keeps running, and later starts programs again', async () => {
  const answer = await withFewFiles(`
    const rg = createRipgrep()
    const jobs = createJobs({ workspaceRoot: folder, onChanged: () => undefined, onOutput: () => undefined })
    const search = () => rg({ args: ['--files', './'], cwd: folder, signal, onOutput: () => true })
    const git = () => runGit({ args: ['version'], folder, signal })
    const server = () => createStdioTransport({
      definition: { type: 'stdio', command: process.execPath, args: ['-e', ''], env: {} }, cwd: folder,
      log: { add: () => undefined, write: () => undefined }, processes: { variable: 'X', begin: async () => 'x', started: () => undefined, end: async () => undefined },
    }).start()
    const command = () => jobs.run({ run: { command: 'true' }, cwd: folder }, signal)
    const before = [await failureOf(search), await failureOf(git), await failureOf(server), await failureOf(command)]
    // Repeated, because processes that ended earlier may release descriptors during an attempt.
    let starving = true
    const starve = () => { if (starving) { exhaust(); setImmediate(starve) } }
    starve()
    const during = [await failureOf(search), await failureOf(git), await failureOf(server), await failureOf(command)]
    starving = false
    release()
    const after = [await failureOf(search), await failureOf(git), await failureOf(server), await failureOf(command)]
    await jobs.dispose()
    process.stdout.write(JSON.stringify({ before, during, after }))
  `)
  const tooMany = (name: string): unknown =>
    expect.stringMatching(
      new RegExp(`^ToolError io_error: .*${name}.* could not be started, because too many files are open`),
    )
  expect(answer).toEqual({
    before: ['ok', 'ok', 'ok', 'ok'],
    during: [
      tooMany('rg'),
      tooMany('git'),
      tooMany('node'),
      expect.stringMatching(/^ToolError io_error: The command could not be started/),
    ],
    after: ['ok', 'ok', 'ok', 'ok'],
  })
})

test('a missing program is reported by the error event, as with spawn', async () => {
  const child = startProcess('/nowhere/program', [], { startedBy: 'tizona' })
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve))
  expect(error.code).toBe('ENOENT')
})
