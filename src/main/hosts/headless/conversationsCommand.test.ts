import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { open, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConversationStore } from '../../history/conversations.ts'
import { openDatabase } from '../../history/database.ts'
import {
  answer,
  call,
  say,
  step,
  type Scenario,
  type ScenarioStep,
  type StepInput,
} from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

// Conversations and checkpoints on the command line, with the real core and a scripted model.

const scenario: Scenario = {
  name: 'headless conversations',
  turns: [
    {
      prompt: /^write/,
      steps: [
        step('writes', call('read_file', { path: 'a.txt' }), call('write_file', { path: 'b.txt', content: 'new\n' })),
        step('ends', say('Written.')),
      ],
    },
    { prompt: /^go on/, steps: [step('ends', say('Went on.'))] },
  ],
}
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let other: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint
const spoken: string[] = []

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n' })
  other = await temporaryFolder({ 'a.txt': 'one\n' })
  data = await temporaryFolder()
  endpoint = await startScriptedEndpoint(scenario)
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await endpoint.close()
  await Promise.all([folder.remove(), other.remove(), data.remove()])
})

type Row = Record<string, unknown>

const tizona = (...args: string[]) => tizonaUntil(undefined, ...args)

async function tizonaUntil(
  interrupted: AbortSignal | undefined,
  ...args: string[]
): Promise<{ code: number; out: string; rows: Row[] }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const stdin = (async function* () {
    yield Buffer.alloc(0)
  })()
  const code = await runCommand(args, {
    output: createOutput(stream),
    userData: data.root,
    stdin,
    ...(interrupted && { interrupted }),
  })
  // The output has one JSON object per line, except an export, which is not parsed.
  const rows =
    args[0] === 'export'
      ? []
      : out
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Row)
  return { code, out, rows }
}
const run = (prompt: string, ...more: string[]) =>
  tizona(
    'run',
    prompt,
    '--workspace',
    folder.root,
    '--endpoint',
    endpoint.url,
    '--kind',
    'openai',
    '--model',
    'scripted',
    '--mode',
    'yolo',
    ...more,
  )
/** Makes the model of the next turns call these tools, one after another. */
async function makeCalls(...calls: ReturnType<typeof call>[]): Promise<void> {
  await endpoint.close()
  const steps = [...calls.map((each, index) => step(`call ${index}`, each)), step('ends', say('Done.'))]
  endpoint = await startScriptedEndpoint({ name: 'calls', turns: [{ prompt: /^write/, steps }] })
}
const idOf = ({ rows }: { rows: Row[] }): string => String(rows[0]?.conversationId)

describe('run --continue', () => {
  it('continues a stored conversation, by id or the last one', async () => {
    const first = await run('write it')
    expect(first.code).toBe(0)
    const again = await run('go on', '--continue', idOf(first))
    expect([again.code, idOf(again)]).toEqual([0, idOf(first)])
    expect(
      JSON.stringify(endpoint.requests.findLast((request) => request.path === '/v1/chat/completions')?.body),
    ).toContain('Written.')
    const last = await run('go on', '--continue', 'last')
    expect(idOf(last)).toBe(idOf(first))
    expect((await tizona('conversations', '--workspace', folder.root)).rows).toHaveLength(1)
  })

  it('also sends the queued messages of the conversation before it ends', async () => {
    const id = idOf(await run('write it'))
    const { db } = await openDatabase(data.root)
    createConversationStore(db).changeQueue(id, () => [{ id: 'waits', text: 'go on, said before' }])
    db.close()
    const { code, rows } = await run('go on', '--continue', id)
    expect(rows.filter(({ event }) => event === 'conversation.turnEnded')).toMatchObject([
      { outcome: 'done' },
      { outcome: 'done' },
    ])
    expect(code).toBe(0)
    const { out } = await tizona('export', id)
    expect(out.slice(out.indexOf('go on, said before')).match(/Went on\./g)).toHaveLength(1)
  })

  it('reports a missing conversation', async () => {
    expect((await run('go on', '--continue', 'last')).code).toBe(2)
    expect(spoken.join()).toContain('this folder has no conversation yet')
    expect((await run('go on', '--continue', 'nope')).code).toBe(2)
    expect(spoken.join()).toContain('this folder has no conversation nope')
  })
})

describe('export, import and replay', () => {
  it('export a conversation as Markdown and JSON, and import the JSON', async () => {
    const id = idOf(await run('write it'))
    expect((await tizona('export', id)).out).toContain('### `write_file` (done)')
    const file = join(data.root, 'export.json')
    await writeFile(file, (await tizona('export', id, '--format', 'json')).out)
    expect((await tizona('import', file, '--workspace', other.root)).rows).toMatchObject([{ title: 'write it' }])
    expect((await tizona('conversations', '--workspace', other.root, '--query', 'written')).rows).toMatchObject([
      { title: 'write it', excerpt: 'Written.' },
    ])
    expect((await tizona('export', 'nope')).code).toBe(2)
    expect((await tizona('import', join(data.root, 'none.json'), '--workspace', other.root)).code).toBe(2)
  })

  it('run the calls again in another folder and report which results differ', async () => {
    const id = idOf(await run('write it'))
    const file = join(data.root, 'export.json')
    await writeFile(file, (await tizona('export', id, '--format', 'json')).out)
    const same = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo')
    expect(same.rows).toMatchObject([
      { event: 'replay.call', name: 'read_file', same: true },
      { event: 'replay.call', name: 'write_file', same: true },
      { event: 'replay.turn', outcome: 'done' },
      { event: 'replay.ended', calls: 2, different: 0 },
    ])
    expect([same.code, await readFile(join(other.root, 'b.txt'), 'utf8')]).toEqual([0, 'new\n'])
    await writeFile(join(other.root, 'a.txt'), 'another\n')
    const differs = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo')
    expect(differs.code).toBe(1)
    expect(differs.rows[0]).toMatchObject({
      same: false,
      recorded: expect.stringContaining('one'),
      now: expect.stringContaining('another'),
    })
  })

  it('compare results that have the path of the folder, and repeat calls with absolute paths in the other folder', async () => {
    await makeCalls(
      call('list_dir', { path: '.' }),
      call('read_file', { path: `${folder.root}/a.txt` }),
      call('write_file', { path: `${folder.root}/b.txt`, content: `${folder.root}-other stays\n` }),
      call('run_command', { command: `pwd; cat ${folder.root}/b.txt` }),
    )
    const file = join(data.root, 'export.json')
    const id = idOf(await run('write it'))
    const { out } = await tizona('export', id, '--format', 'json')
    expect(out.replaceAll(`${folder.root}-other`, '')).not.toContain(folder.root)
    await writeFile(file, out)
    const ended = { event: 'replay.ended', calls: 4, different: 0 }
    const tools = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', '--tools')
    expect(tools.rows.filter(({ same }) => same === false)).toEqual([])
    expect(tools.rows.at(-1)).toMatchObject(ended)
    expect(await readdir(other.root)).toEqual(['a.txt'])
    const turns = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo')
    expect(turns.rows.filter(({ same }) => same === false)).toEqual([])
    expect(await readFile(join(other.root, 'b.txt'), 'utf8')).toBe(`${folder.root}-other stays\n`)
    const [imported] = (await tizona('import', file, '--workspace', other.root)).rows
    expect((await tizona('export', String(imported?.['id']))).out).toContain(`Directory: ${other.root}`)
  })

  it('repeat calls that name a background command, which has another id', async () => {
    const started = { command: 'echo begun; sleep 60', blocking: false }
    const seenId = (seen: StepInput) => ({ job_id: seen.expect('run_command', /job-\w+/, 'an id')[0] })
    const steps: ScenarioStep[] = [
      step('start', call('run_command', started)),
      { title: 'read', play: (seen) => answer(call('read_command_output', { ...seenId(seen), wait_ms: 0 })) },
      { title: 'stop', play: (seen) => answer(call('stop_command', seenId(seen))) },
      step('end', say('Stopped.')),
    ]
    await endpoint.close()
    endpoint = await startScriptedEndpoint({ name: 'commands', turns: [{ prompt: /^write/, steps }] })
    const file = join(data.root, 'export.json')
    await writeFile(file, (await tizona('export', idOf(await run('write it')), '--format', 'json')).out)
    for (const options of [['--tools'], []]) {
      const { rows } = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', ...options)
      expect(rows.filter(({ same }) => same === false)).toEqual([])
      expect(rows.at(-1)).toMatchObject({ event: 'replay.ended', calls: 3, different: 0 })
    }
  })

  it('skip calls that need the editor, and refuse a conversation with an external agent', async () => {
    await makeCalls(call('get_selection', {}), call('read_file', { path: 'a.txt' }))
    const file = join(data.root, 'export.json')
    const { items, info, ...rest } = JSON.parse(
      (await tizona('export', idOf(await run('write it')), '--format', 'json')).out,
    )
    // As a window answers.
    const [selection] = items.filter((item: Row) => item['name'] === 'get_selection')
    selection.result = { ...selection.result, ok: true, text: 'const a = 1', error: undefined }
    await writeFile(file, JSON.stringify({ items, info, ...rest }))
    const { rows } = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', '--tools')
    expect(rows).toMatchObject([
      { name: 'get_selection', skipped: 'window' },
      { name: 'read_file', same: true },
      { event: 'replay.ended', calls: 2, different: 0, skipped: 1 },
    ])
    await writeFile(file, JSON.stringify({ items, info: { ...info, agent: 'other' }, ...rest }))
    for (const options of [['--tools'], []]) {
      const { code } = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', ...options)
      expect(code).toBe(1)
      expect(spoken.at(-1)).toContain('An external agent worked in this conversation')
    }
  })

  it('skip calls that need a model or an MCP server, and leave out what cannot be copied', async () => {
    await makeCalls(
      call('task', { prompt: 'Look at a.txt.' }),
      call('notes__add', { text: 'x' }),
      call('read_file', { path: 'a.txt' }),
    )
    const file = join(data.root, 'export.json')
    await writeFile(file, (await tizona('export', idOf(await run('write it')), '--format', 'json')).out)
    const pipe = createServer().listen(join(other.root, 'socket'))
    try {
      await once(pipe, 'listening')
      const { rows, code } = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', '--tools')
      expect(rows).toMatchObject([
        { name: 'task', skipped: 'model' },
        { name: 'notes__add', skipped: 'mcp' },
        { name: 'read_file', same: true },
        { event: 'replay.ended', calls: 3, different: 0, skipped: 2 },
      ])
      expect(code).toBe(0)
    } finally {
      pipe.close()
    }
  })

  it.each([[[]], [['--tools']]])('fail if the calls of the file belong to no message (%j)', async (options) => {
    const file = join(data.root, 'export.json')
    const { items, ...rest } = JSON.parse((await tizona('export', idOf(await run('write it')), '--format', 'json')).out)
    const orphans = items.map((item: Row) => (item['kind'] === 'tool' ? { ...item, assistantId: 'gone' } : item))
    await writeFile(file, JSON.stringify({ ...rest, items: orphans }))
    const { rows, code } = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', ...options)
    expect(code).toBe(1)
    expect(rows.at(-1)).toMatchObject({ event: 'replay.ended', calls: 0, unassigned: 2 })
    expect(spoken.at(-1)).toBe('2 calls in the file belong to no model response, so they were not replayed.')
  })

  it.each([[[]], [['--tools']]])('succeed with a sentence if the file has no tool call (%j)', async (options) => {
    const file = join(data.root, 'export.json')
    await writeFile(file, (await tizona('export', idOf(await run('go on')), '--format', 'json')).out)
    const { rows, code } = await tizona('replay', file, '--workspace', other.root, '--mode', 'yolo', ...options)
    expect([code, rows.at(-1)]).toMatchObject([0, { event: 'replay.ended', calls: 0 }])
    expect(spoken.at(-1)).toBe('The file has no tool calls.')
  })

  it('refuse to copy a folder into itself', async () => {
    const file = join(data.root, 'export.json')
    await writeFile(file, (await tizona('export', idOf(await run('write it')), '--format', 'json')).out)
    vi.stubEnv('TMPDIR', folder.root)
    try {
      expect((await tizona('replay', file, '--workspace', folder.root, '--tools')).code).toBe(1)
      expect(spoken.join()).toContain('Set TMPDIR to another folder.')
      expect((await readdir(folder.root)).filter((name) => name.startsWith('tizona'))).toEqual([])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it.skipIf(process.platform === 'win32')('stop waiting for a pipe without a writer at Ctrl+C', async () => {
    const pipe = join(data.root, 'pipe')
    execFileSync('mkfifo', [pipe])
    const interrupt = new AbortController()
    const replayed = tizonaUntil(interrupt.signal, 'replay', pipe, '--workspace', other.root, '--tools')
    setTimeout(() => interrupt.abort(new DOMException('Interrupted.', 'AbortError')), 50)
    expect((await replayed).code).toBe(130)
    // Nothing waits for a writer any more.
    await expect(open(pipe, constants.O_WRONLY | constants.O_NONBLOCK)).rejects.toThrow('ENXIO')
  })

  it.skipIf(process.platform === 'win32')('read a conversation from a pipe', async () => {
    const { out } = await tizona('export', idOf(await run('write it')), '--format', 'json')
    const pipe = join(data.root, 'pipe')
    execFileSync('mkfifo', [pipe])
    const imported = tizona('import', pipe, '--workspace', other.root)
    await writeFile(pipe, out)
    expect((await imported).rows).toMatchObject([{ title: 'write it' }])
  })

  it('refuse a file that is not a conversation', async () => {
    expect((await tizona('replay', join(folder.root, 'a.txt'), '--workspace', other.root)).code).toBe(1)
    expect(spoken.join()).toContain('not JSON')
    expect(await readdir(other.root)).toEqual(['a.txt'])
  })
})

describe('checkpoints', () => {
  it('are listed, compared with the current files and restored', async () => {
    const conversation = idOf(await run('write it'))
    const {
      rows: [kept],
    } = await tizona('checkpoints', 'list', '--workspace', folder.root)
    expect(kept).toMatchObject({ reason: 'write it', conversation, files: 1 })
    const id = String(kept?.id)
    expect((await tizona('checkpoints', 'show', id, '--workspace', folder.root)).rows).toEqual([
      { path: 'b.txt', change: 'created' },
    ])
    const restored = await tizona('checkpoints', 'restore', id, '--workspace', folder.root)
    expect(restored).toMatchObject({ code: 0, rows: [{ written: [], removed: ['b.txt'], skipped: [] }] })
    expect(await readdir(folder.root)).toEqual(['a.txt'])
    await tizona('checkpoints', 'restore', String(restored.rows[0]?.before), '--workspace', folder.root)
    expect(await readdir(folder.root)).toEqual(['a.txt', 'b.txt'])
  })

  it('are refused if they are unknown', async () => {
    expect((await tizona('checkpoints', 'show', '99', '--workspace', folder.root)).code).toBe(1)
    expect(spoken.join()).toContain('no longer stored')
    for (const words of [['sweep'], ['show'], ['show', 'x'], ['list', '1'], []]) {
      expect((await tizona('checkpoints', ...words, '--workspace', folder.root)).code).toBe(2)
    }
  })
})
