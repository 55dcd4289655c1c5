import { utimes } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createJobs } from '../../command/jobs.ts'
import type { Jobs } from '../../command/jobTypes.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { searchContext } from '../testing/searchContext.ts'
import { runTool, temporaryFolder, writeTree, type TestContext } from '../testing/toolContext.ts'
import { bash } from './bashTool.ts'
import { find } from './findTool.ts'
import { grep } from './grepTool.ts'
import { listDir } from './listDirTool.ts'
import { truncateUltraSushiTron } from './ultraSushiTronToolset.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let jobs: Jobs
let context: TestContext

beforeEach(async () => {
  folder = await temporaryFolder({
    '.git/config': '',
    '.gitignore': 'ignored/\n',
    'ignored/deep/i.rs': 'fn ignored() {}\n',
    '.hidden/h.txt': '',
    '.env': '',
    'node_modules/p/index.js': 'fn x',
    'target/out.txt': '',
    'src/main.rs': 'fn main() {}\nfn execute() {}\n',
    'src/deep/er/lib.rs': 'fn execute(a: u8) {}\n',
    'README.md': 'text\n',
  })
  jobs = createJobs({ workspaceRoot: folder.root, graceMs: 300, onChanged: () => undefined, onOutput: () => undefined })
  context = await searchContext(folder.root)
  context.jobs = jobs
})
afterEach(async () => {
  await jobs.dispose()
  await folder.remove()
})

describe('Grep', () => {
  const search = async (args: Record<string, unknown>) => (await runTool(grep, args, context)).text

  it('shows lines, files or counts', async () => {
    expect((await search({ pattern: 'fn\\s+\\w+' })).split('\n')).toEqual([
      'src/deep/er/lib.rs:1:fn execute(a: u8) {}',
      'src/main.rs:1:fn main() {}',
      'src/main.rs:2:fn execute() {}',
    ])
    expect(await search({ pattern: 'fn', path: 'src', output_mode: 'files' })).toBe('src/deep/er/lib.rs\nsrc/main.rs')
    expect(await search({ pattern: 'fn', output_mode: 'count' })).toBe(
      'src/deep/er/lib.rs:1\nsrc/main.rs:2\n\n(3 matching lines in 2 files)',
    )
    expect(await search({ pattern: 'fn', path: 'src/main.rs', output_mode: 'count' })).toContain('src/main.rs:2')
  })
  it('counts every match, and limits the lines it shows', async () => {
    await writeTree(folder.root, { 'big.txt': 'hit\n'.repeat(3_000) })
    expect(await search({ pattern: 'hit', output_mode: 'count' })).toBe(
      'big.txt:3000\n\n(3,000 matching lines in 1 file)',
    )
    expect(await search({ pattern: 'hit' })).toContain('showing 500 of 3,000 matching lines')
  })
  it('reports no match, and refuses invalid patterns and paths', async () => {
    expect(await search({ pattern: 'nowhere', output_mode: 'files' })).toContain('No matches for "nowhere"')
    await expectFailure(search({ pattern: '(' }), 'invalid_pattern')
    await expectFailure(search({ pattern: 'x', path: 'no' }), 'not_found')
    await expectFailure(search({ pattern: 'x', path: '..' }), 'outside_workspace')
    expect(grep.schema.safeParse({ pattern: 'x', output_mode: 'lines' }).success).toBe(false)
  })
})

describe('Find', () => {
  it('returns at most 200 files, the last modified first', async () => {
    await writeTree(
      folder.root,
      Object.fromEntries(Array.from({ length: 205 }, (_, index) => [`many/${index}.txt`, ''])),
    )
    for (let index = 0; index < 205; index += 1)
      await utimes(path.join(folder.root, `many/${index}.txt`), 0, 1_000_000 + index * 10)
    const { text, view } = await runTool(find, { pattern: '**/*.txt', path: 'many' }, context)
    const lines = text.split('\n')
    expect(lines.slice(0, 3)).toEqual(['many/204.txt', 'many/203.txt', 'many/202.txt'])
    expect(lines[199]).toBe('many/5.txt')
    expect(text).toContain('(showing 200 of 205 files.')
    expect(view).toMatchObject({ kind: 'files', total: 205, truncated: true })
  })
  it('distinguishes times within one second', async () => {
    await writeTree(folder.root, { 'quick/a.txt': '', 'quick/b.txt': '', 'quick/c.txt': '' })
    for (const [name, time] of [
      ['a', 1_000.25],
      ['b', 1_000.75],
      ['c', 1_000.5],
    ] as const)
      await utimes(path.join(folder.root, `quick/${name}.txt`), time, time)
    expect((await runTool(find, { pattern: '*.txt', path: 'quick' }, context)).text.split('\n').slice(0, 3)).toEqual([
      'quick/b.txt',
      'quick/c.txt',
      'quick/a.txt',
    ])
  })
  it('accepts globs relative to its path, and reports no match', async () => {
    expect((await runTool(find, { pattern: 'src/**/*.rs' }, context)).text.split('\n').toSorted()).toEqual([
      'src/deep/er/lib.rs',
      'src/main.rs',
    ])
    expect((await runTool(find, { pattern: '*.py' }, context)).text).toContain('No file in "." matches "*.py"')
  })
  it('refuses invalid patterns and folders', async () => {
    await expectFailure(runTool(find, { pattern: '' }, context), 'invalid_pattern')
    await expectFailure(runTool(find, { pattern: '[' }, context), 'invalid_pattern')
    await expectFailure(runTool(find, { pattern: '*', path: 'README.md' }, context), 'not_a_directory')
  })
})

describe('ListDir', () => {
  const list = async (args: Record<string, unknown>) =>
    (await runTool(listDir, { path: '.', ...args }, context)).text.split('\n').slice(1)

  it('lists two levels, or the requested depth, without dependency and build folders', async () => {
    expect(await list({})).toEqual([
      'src/',
      '  deep/',
      '  main.rs',
      'README.md',
      '',
      '(Not listed: node_modules/, target/. Pass one as `path` to see it.)',
    ])
    expect(await list({ path: 'src', depth: 1 })).toEqual(['deep/', 'main.rs'])
    expect(await list({ path: 'src', depth: 9 })).toEqual(['deep/', '  er/', '    lib.rs', 'main.rs'])
  })
  it('shows hidden entries on request', async () => {
    const shown = await list({ depth: 1, show_hidden: true })
    expect(shown).toEqual(expect.arrayContaining(['.hidden/', '.env', '.gitignore']))
    expect(shown.filter((line) => line === '.git/')).toEqual([])
  })
  it('lists a skipped or ignored folder if it is the path', async () => {
    expect(await list({ path: 'node_modules' })).toEqual(['p/', '  index.js'])
    expect(await list({ path: 'ignored' })).toEqual(['deep/', '  i.rs'])
  })
  it('refuses files, missing folders and outside paths', async () => {
    await expectFailure(runTool(listDir, { path: 'README.md' }, context), 'not_a_directory')
    await expectFailure(runTool(listDir, { path: 'no' }, context), 'not_found')
    await expectFailure(runTool(listDir, { path: '..' }, context), 'outside_workspace')
    expect(listDir.schema.safeParse({ path: '.', depth: 0 }).success).toBe(false)
  })
})

describe('Bash', () => {
  it('returns the output and the exit code', async () => {
    const { text, view } = await runTool(bash, { command: 'echo hi; exit 3' }, context)
    expect(text).toMatch(/^hi\n\[exit 3 after \d+\.\d s\]$/)
    expect(view).toMatchObject({ kind: 'command', job: { state: 'exited', exitCode: 3, cwd: '.' } })
    expect((await runTool(bash, { command: 'true' }, context)).text).toMatch(/^\(no output\)\n\[exit 0/)
  })
  it('ends at its timeout, in seconds', async () => {
    expect((await runTool(bash, { command: 'echo on; sleep 60', timeout: 1 }, context)).text).toMatch(
      /^on\n\[stopped by its time limit .* pass a higher timeout \(at most 600 seconds\)/,
    )
    expect(jobs.list().every((job) => job.endedAt !== undefined)).toBe(true)
  })
  it('lowers a longer timeout to 600, with a note', async () => {
    expect((await runTool(bash, { command: 'true', timeout: 601 }, context)).text).toContain(
      '(`timeout` 601 is above the cap, so 600 was used.)',
    )
    expect(bash.schema.safeParse({ command: 'true', timeout: 0 }).success).toBe(false)
  })
  it('stops a program that waits for input', async () => {
    expect((await runTool(bash, { command: 'read -p "name? " name' }, context)).text).toContain(
      'the program waited for input',
    )
    expect(jobs.list().every((job) => job.endedAt !== undefined)).toBe(true)
  })
  it('is truncated to 30,000 bytes, with its beginning and end', async () => {
    const { text, truncated } = truncateUltraSushiTron(await runTool(bash, { command: 'seq 1 20000' }, context))
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(text)).toBeLessThan(30_400)
    expect(text).toMatch(/^1\n2\n[^]*bytes are missing here[^]*\n20000\n\[exit 0/)
  })
  it('is ended with its child processes when the call is cancelled', async () => {
    const controller = new AbortController()
    context.signal = controller.signal
    context.progress = () => controller.abort()
    await expect(runTool(bash, { command: 'sleep 60' }, context)).rejects.toMatchObject({ code: 'cancelled' })
    expect(jobs.list().every((job) => job.endedAt !== undefined)).toBe(true)
  })
  it('refuses an empty or invalid command before approval', async () => {
    await expectFailure(runTool(bash, { command: '  ' }, context), 'invalid_arguments')
    await expectFailure(
      Promise.resolve(bash.commandLine?.({ command: 'a\0b', timeout: 1 }, context)),
      'invalid_arguments',
    )
    expect(await bash.commandLine?.({ command: 'ls', timeout: 1 }, context)).toEqual({ command: 'ls', cwd: '.' })
    expect(bash.withCommand?.({ command: 'ls', timeout: 9 }, 'ls -a')).toEqual({ command: 'ls -a', timeout: 9 })
  })
})
