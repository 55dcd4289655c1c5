import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toolsetNames } from '../../../shared/tools/risk.ts'
import { createCore } from '../../core.ts'
import { writeFile as writeFileTool } from '../../tools/blade/writeFile.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

// e2e/cassettes: recorded sessions of each toolset (e2e/cassettes/record.ts). A tool that answers differently is found.

const cassettes = resolve(import.meta.dirname, '../../../../e2e/cassettes')
const project = resolve(import.meta.dirname, '../../../../e2e/fixtures/till')
let home: Awaited<ReturnType<typeof temporaryFolder>>
const spoken: string[] = []

beforeEach(async () => {
  home = await temporaryFolder()
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await home.remove()
})

async function replay(file: string) {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const code = await runCommand(['replay', file, '--workspace', project, '--mode', 'yolo', '--tools'], {
    createCore,
    output: createOutput(stream),
    userData: join(home.root, 'user'),
  })
  const rows = out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>) // The output has one JSON object per line.
  return { code, rows }
}

it.each(toolsetNames)('the tools of %s answer as they were recorded', async (toolset) => {
  const before = await readFile(join(project, 'src/till.js'), 'utf8')
  const { code, rows } = await replay(join(cassettes, `${toolset}.json`))
  expect(rows.filter(({ same }) => same === false)).toEqual([])
  expect(rows.at(-1)).toMatchObject({ event: 'replay.ended', different: 0 })
  expect(rows.length).toBeGreaterThan(5)
  expect(code).toBe(0)
  // Only a copy was changed.
  expect(await readFile(join(project, 'src/till.js'), 'utf8')).toBe(before)
  expect(await readdir(project)).toEqual(['README.md', 'docs', 'src'])
})

it('a broken tool is found where its effect shows', async () => {
  // Loses the last character that it writes.
  const { run } = writeFileTool
  vi.spyOn(writeFileTool, 'run').mockImplementation((args, context) =>
    run({ ...args, content: String(args['content']).slice(0, -1) }, context),
  )
  const { code, rows } = await replay(join(cassettes, 'blade.json'))
  expect(code).toBe(1)
  // The command prints the file that was written.
  expect(rows.filter(({ same }) => same === false).map(({ name }) => name)).toEqual(['run_command'])
})

it('a cassette of another version is refused clearly', async () => {
  const text = await readFile(join(cassettes, 'rusty.json'), 'utf8')
  const file = join(home.root, 'later.json')
  await writeFile(file, text.replace('"version": 1', '"version": 7'))
  expect(await replay(file)).toEqual({ code: 1, rows: [] })
  expect(spoken.join()).toContain('The file has format version 7, but this version of Tizona reads format version 1.')
})
