import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { writeTinyModel } from '../../model/testing/tinyModel.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

let home: string
let workspace: string
let model: string
const spoken: string[] = []

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'tizona-file-command-'))
  workspace = path.join(home, 'workspace')
  await mkdir(workspace)
  model = await writeTinyModel(path.join(home, 'Talker.gguf'), { callsTools: false })
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(home, { recursive: true, force: true })
})

async function tizona(...args: string[]): Promise<{ code: number; out: string; events: Record<string, unknown>[] }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const code = await runCommand(args, { output: createOutput(stream), userData: path.join(home, 'user') })
  const lines = out.split('\n').filter((line) => line.startsWith('{'))
  // The output has one JSON object per line.
  return { code, out, events: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

const run = (...args: string[]) => tizona('run', 'Say done', '--workspace', workspace, ...args)
const loading = 60_000

describe('a model file as --endpoint', () => {
  test('answers in run, by a relative path and without --model', { timeout: loading }, async () => {
    const relative = path.relative(process.cwd(), model)
    const { code, events } = await run('--endpoint', relative, '--temperature', '0.7')
    // The model has random weights, so its answer may end anywhere.
    expect([0, 6, 7]).toContain(code)
    expect(events[0]).toMatchObject({ event: 'run.started', endpoint: model, model: 'Talker' })
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', text: expect.stringMatching(/\S/) })
  })

  test('is checked by check-model, and --apply stores it by its absolute path', { timeout: loading }, async () => {
    const relative = path.relative(process.cwd(), model)
    const options = ['--tasks', 'window', '--context-window', '1024', '--apply']
    const check = await tizona('check-model', '--endpoint', relative, ...options)
    expect({ code: check.code, spoken: spoken.join('\n') }).toEqual({
      code: 0,
      spoken: expect.stringContaining('The recommended settings were stored.'),
    })
    const settings = await readFile(path.join(home, 'user', 'settings.json'), 'utf8')
    expect(JSON.parse(settings)).toMatchObject({ endpoints: [{ name: 'Talker', kind: 'gguf', baseUrl: model }] })
  })

  test.each([
    ['nowhere.gguf', [], 'nowhere.gguf does not exist.'],
    ['folder.gguf', [], 'folder.gguf is a folder, not a file.'],
    ['model.bin', [], '--endpoint: is not an http(s) address and not a .gguf file.'],
    ['Talker.gguf', ['--model', 'other'], '--model: the model in this file is called Talker. Omit --model.'],
    ['Talker.gguf', ['--kind', 'openai'], '--kind: a model file has no API. Omit it.'],
  ])('%s %j is refused by run, acp and check-model with 2', async (name, options, reason) => {
    await mkdir(path.join(home, 'folder.gguf'))
    const args = ['--endpoint', path.join(home, name), ...options]
    for (const command of [['run', 'Say done', '--workspace', workspace], ['acp'], ['check-model']]) {
      spoken.length = 0
      expect(await tizona(...command, ...args)).toMatchObject({ code: 2, out: '' })
      expect(spoken.join('\n')).toContain(reason)
    }
  })

  test('that is no GGUF ends run and check-model with 3 and what to do', async () => {
    const broken = path.join(home, 'broken.gguf')
    await writeFile(broken, '<html>404 Not Found</html>')
    const { code, events } = await run('--endpoint', broken)
    expect(code).toBe(3)
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', outcome: 'endpoint_failed' })
    expect(JSON.stringify(events)).toContain('It does not begin with the letters')
    expect(JSON.stringify(events)).toContain('Download the file again, or select another one.')
    expect((await tizona('check-model', '--endpoint', broken)).code).toBe(3)
    expect(spoken.join('\n')).toContain('It does not begin with the letters')
  })
})
