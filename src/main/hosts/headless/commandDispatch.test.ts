import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { commandNames } from '../../../../scripts/lib/commands.mjs'
import { commandWords, isCommand, runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'
import { exitCodes, usage } from './commandHelp.ts'
import { headlessProgram } from '../../testing/headlessProgram.ts'
import { markedSleep } from '../../testing/markedSleep.ts'

let home: string
let workspace: string
const spoken: string[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-headless-'))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.txt'), 'hola\n')
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await rm(home, { recursive: true, force: true })
})

/** Runs a command line in this process, on the real core with separate user data. */
async function tizona(
  args: string[],
  { stdin = '', interrupted }: { stdin?: string; interrupted?: AbortSignal } = {},
): Promise<{ code: number; out: string; events: Record<string, unknown>[] }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const input = (async function* () {
    yield Buffer.from(stdin)
  })()
  const code = await runCommand(args, {
    output: createOutput(stream),
    userData: join(home, 'user'),
    stdin: input,
    ...(interrupted ? { interrupted } : {}),
  })
  const events = out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>) // The output has one JSON object per line.
  return { code, out, events }
}

describe('the command line', () => {
  it('accepts only its commands', () => {
    for (const word of [
      'run',
      'call',
      'tools',
      'explain',
      'mcp',
      'acp',
      'tour',
      'conversations',
      'export',
      'import',
      'replay',
      'checkpoints',
      '--help',
      '--version',
    ])
      expect(isCommand(word)).toBe(true)
    for (const word of ['folder', 'toString', '', undefined]) expect(isCommand(word)).toBe(false)
  })

  it('has the same commands in the program that npx starts, which runs before the build', () => {
    expect(commandNames).toEqual(new Set(commandWords))
  })

  it('--help lists every exit code, --version prints the version', async () => {
    expect((await tizona(['--help'])).out).toBe(`${usage}\n`)
    for (const code of Object.values(exitCodes)) expect(usage).toMatch(new RegExp(`^ +${code}  \\S`, 'm'))
    expect((await tizona(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([...commandWords].filter((word) => !word.startsWith('-')))(
    '%s --help describes the command, and nothing else',
    async (word) => {
      const { code, out } = await tizona([word, '--help'])
      expect(code).toBe(0)
      expect(out).toContain(`tizona ${word}`)
      expect(out).not.toContain('Exit codes')
      expect((await tizona([word, '-h'])).out).toBe(out)
    },
  )

  it('warns on standard error before it runs as root, unless the user allowed that', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    vi.stubEnv('TIZONA_ALLOW_ROOT', '')
    await tizona(['tools', '--help'])
    await tizona(['--version'])
    expect(spoken).toEqual([])
    expect((await tizona(['tools'])).code).toBe(0)
    expect(spoken).toEqual([expect.stringMatching(/^Tizona is running as root\. .* TIZONA_ALLOW_ROOT=1/)])
    vi.stubEnv('TIZONA_ALLOW_ROOT', '1')
    await tizona(['tools'])
    vi.spyOn(process, 'getuid').mockReturnValue(1000)
    vi.stubEnv('TIZONA_ALLOW_ROOT', '')
    await tizona(['tools'])
    expect(spoken).toHaveLength(1)
  })

  it('an error in the options of a command is followed by the help of this command', async () => {
    expect((await tizona(['tools', '--color'])).code).toBe(2)
    expect(spoken).toEqual([expect.stringMatching(/^Unknown option '--color'\.\n\n {2}tizona tools .*\n.*toolset\.$/)])
  })

  it.each([
    [['acp', '--model', 'm'], '--model needs --endpoint'],
    [['acp', '--endpoint', 'http://127.0.0.1:1'], '--model is missing'],
    [['run'], '--workspace is missing'],
    [['run', 'x', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1'], '--model is missing'],
    [
      ['run', 'x', '--workspace', 'WS', '--endpoint', 'not-a-url', '--model', 'm'],
      '--endpoint: is not an http(s) address and not a .gguf file',
    ],
    [
      ['run', 'x', '--workspace', 'WS', '--endpoint', 'file:///x', '--model', 'm'],
      '--endpoint: is not an http(s) address and not a .gguf file',
    ],
    [
      ['run', 'x', '--workspace', '/nowhere/at/all', '--endpoint', 'http://127.0.0.1:1', '--model', 'm'],
      'does not exist',
    ],
    [
      ['run', 'x', '--workspace', 'WS/a.txt', '--endpoint', 'http://127.0.0.1:1', '--model', 'm'],
      'is a file, not a folder',
    ],
    [
      ['run', 'x', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--mode', 'reckless'],
      '--mode',
    ],
    [
      ['run', 'x', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--max-turns', '0'],
      '--max-turns',
    ],
    [
      ['run', 'x', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--profile', 'tiny'],
      '--profile',
    ],
    [
      ['run', 'x', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--context-window', '8'],
      '--context-window',
    ],
    [['run', 'x', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--colour'], '--colour'],
    [['run', 'x', 'y', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm'], 'Unexpected argument'],
    [['run', '-', '--workspace', 'WS', '--endpoint', 'http://127.0.0.1:1', '--model', 'm'], 'standard input is empty'],
    [['call', '--workspace', 'WS'], 'TOOL is missing'],
    [['call', 'read_file', '{}'], '--workspace is missing'],
    [['tools', '--format', 'yaml'], '--format'],
    [['mcp'], '--workspace is missing'],
    [['mcp', 'x', '--workspace', 'WS'], 'Unexpected argument'],
    [['tour', 'now'], 'tour accepts no arguments'],
    [['fly'], 'Unknown command "fly"'],
  ])('%j is refused with 2 and a reason', async (args, reason) => {
    const { code, out } = await tizona(args.map((arg) => arg.replace(/^WS/, workspace)))
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(spoken.join('\n')).toContain(reason)
  })
})

describe('call', () => {
  it('prints one object for a successful call', async () => {
    const { code, events } = await tizona(['call', 'read_file', '{"path":"a.txt"}', '--workspace', workspace])
    expect(code).toBe(0)
    expect(events).toEqual([
      {
        ok: true,
        text: expect.stringContaining('hola'),
        view: expect.objectContaining({ kind: 'file', path: 'a.txt' }),
        elapsed_ms: expect.any(Number),
      },
    ])
  })

  it('prints one object for a failed call, with exit code 1', async () => {
    const { code, events } = await tizona(['call', 'read_file', '{"path":"../b.txt"}', '--workspace', workspace])
    expect(code).toBe(1)
    expect(events).toEqual([
      expect.objectContaining({
        ok: false,
        error: expect.objectContaining({ code: 'outside_workspace', message: expect.any(String) }),
      }),
    ])
  })

  it.each(['', '{"path":', '[]', '"x"', '{"path": {}}'])(
    'leaves the rejection of the arguments %j to the executor',
    async (json) => {
      const { code, events } = await tizona(['call', 'read_file', json, '--workspace', workspace])
      expect(code).toBe(1)
      expect(events).toMatchObject([{ ok: false, error: { code: 'invalid_arguments' } }])
    },
  )

  it('refuses a call that requires approval, and writes in a mode that does not require it', async () => {
    const write = ['call', 'write_file', '{"path":"b.txt","content":"x"}', '--workspace', workspace]
    expect(await tizona(write)).toMatchObject({
      code: 1,
      events: [{ ok: false, error: { code: 'approval_required' } }],
    })
    await expect(readFile(join(workspace, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await tizona([...write, '--mode', 'plan'])).toMatchObject({
      code: 1,
      events: [{ ok: false, error: { code: 'not_in_plan_mode' } }],
    })
    expect(await tizona([...write, '--mode', 'cautious'])).toMatchObject({ code: 0, events: [{ ok: true }] })
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('x')
  })
})

describe('tools', () => {
  it('are printed in the format of a chat request', async () => {
    const { out } = await tizona(['tools', '--format', 'openai'])
    // Checked below.
    const listed = JSON.parse(out) as { type: string; function: { name: string; parameters: { type: string } } }[]
    expect(listed.map((tool) => tool.function.name)).toContain('read_file')
    expect(listed.every((tool) => tool.type === 'function' && tool.function.parameters.type === 'object')).toBe(true)
  })

  it('are listed without disabled ones, which cannot be called either', async () => {
    await mkdir(join(home, 'user'))
    await writeFile(
      join(home, 'user', 'settings.json'),
      JSON.stringify({ disabledTools: { rustant: ['file_write'] }, web: { enabled: false } }),
    )
    const { out } = await tizona(['tools', '--toolset', 'rustant'])
    expect(out).toMatch(/^file_read \[read\]$/m)
    expect(out).not.toMatch(/^(file_write|web_fetch|web_search) /m)
    // The mode in Rustant's spelling.
    const { events } = await tizona([
      'call',
      'file_write',
      '{"path":"b.txt","content":"x"}',
      '--workspace',
      workspace,
      '--toolset',
      'rustant',
      '--mode',
      'Yolo',
    ])
    expect(events[0]).toMatchObject({ ok: false, error: { code: 'switched_off' } })
  })

  it('are printed as text and as Markdown', async () => {
    expect((await tizona(['tools'])).out).toMatch(/^read_file \[read\]$/m)
    expect((await tizona(['tools', '--format', 'markdown'])).out).toMatch(/^## read_file$/m)
  })
})

/** A server that answers every chat request with the same stream, or never. */
class ChatServer {
  authorization: string | undefined
  server: Server
  requests: Record<string, unknown>[] = []
  closed = 0
  reply: (turn: number) => object[] | 'silence' = () => [{ content: 'Done.' }]

  constructor() {
    this.server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on('end', () => {
        // Other requests get no answer and are not counted as requests to the model.
        if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
          return void response.writeHead(404).end('{}')
        this.authorization = request.headers.authorization
        this.requests.push(JSON.parse(body) as Record<string, unknown>) // Our own client's request.
        const deltas = this.reply(this.requests.length)
        response.on('close', () => {
          this.closed++
        })
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        if (deltas === 'silence') return void response.write(': waiting\n\n')
        for (const delta of deltas) response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`)
        response.end(
          `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop' }], usage: { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 3 } })}\n\ndata: [DONE]\n\n`,
        )
      })
    })
  }
}

describe('run', () => {
  const chat = new ChatServer()
  let args: string[]
  beforeAll(async () => {
    await new Promise<void>((done) => {
      chat.server.listen(0, '127.0.0.1', done)
    })
  })
  afterAll(async () => {
    chat.server.closeAllConnections()
    await new Promise((done) => {
      chat.server.close(done)
    })
  })
  beforeEach(() => {
    const address = chat.server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    chat.requests = []
    chat.closed = 0
    chat.reply = () => [{ content: 'Do' }, { content: 'ne.' }]
    args = ['--workspace', workspace, '--endpoint', `http://127.0.0.1:${port}`, '--model', 'm']
  })
  const calls = (name: string, given: object) => [
    { tool_calls: [{ index: 0, id: 'c1', function: { name, arguments: JSON.stringify(given) } }] },
  ]

  it('prints one event per line, from run.started to run.ended, and does not store the endpoint', async () => {
    const { code, events, out } = await tizona(['run', 'Say done', ...args, '--temperature', '0.7'])
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(events.length)
    expect(events[0]).toMatchObject({ event: 'run.started', workspace, model: 'm', mode: 'safe', toolset: 'blade' })
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', outcome: 'done', exitCode: 0, text: 'Done.' })
    expect(chat.requests[0]).toMatchObject({ model: 'm', temperature: 0.7, stream: true })
    expect(JSON.stringify(chat.requests[0])).toContain('Say done')
    // The endpoint of the command line is not stored in the settings.
    const stored = await readFile(join(home, 'user', 'settings.json'), 'utf8').catch(() => '{}')
    expect(stored).not.toContain('127.0.0.1')
  })

  it('uses profile, context size and key for this run, and stores none of them', async () => {
    vi.stubEnv('TIZONA_API_KEY', 'secret-for-one-run')
    try {
      expect(await tizona(['run', 'Hello', ...args, '--profile', 'minimal', '--context-window', '9000'])).toMatchObject(
        { code: 0 },
      )
    } finally {
      vi.unstubAllEnvs()
    }
    expect(chat.authorization).toBe('Bearer secret-for-one-run')
    const minimal = JSON.stringify(chat.requests[0]?.tools).length
    expect(await tizona(['run', 'Hello', ...args, '--profile', 'full'])).toMatchObject({ code: 0 })
    expect(chat.authorization).toBeUndefined()
    expect(minimal * 4).toBeLessThan(JSON.stringify(chat.requests[1]?.tools).length)
    for (const name of await readdir(join(home, 'user'), { recursive: true })) {
      if (name.endsWith('.json'))
        expect(await readFile(join(home, 'user', name), 'utf8'), name).not.toMatch(/secret-for-one-run|minimal/)
    }
  })

  it('reads the prompt from standard input', async () => {
    expect(await tizona(['run', '-', ...args], { stdin: 'From a pipe' })).toMatchObject({ code: 0 })
    expect(JSON.stringify(chat.requests[0])).toContain('From a pipe')
  })

  it('includes instructions and rules in the prompt, attaches mentioned files, and lets the model load skills', async () => {
    await mkdir(join(workspace, '.tizona/rules'), { recursive: true })
    await mkdir(join(workspace, '.tizona/skills/release'), { recursive: true })
    await writeFile(join(workspace, 'AGENTS.md'), 'Use tabs.\n')
    await writeFile(join(workspace, '.tizona/rules/text.md'), '---\nglobs: *.txt\n---\nPlain words.\n')
    await writeFile(
      join(workspace, '.tizona/skills/release/SKILL.md'),
      '---\ndescription: How to release\n---\nCount backwards.\n',
    )
    chat.reply = (turn) => (turn === 1 ? calls('load_skill', { name: 'release' }) : [{ content: 'Done.' }])
    const { code, events } = await tizona(['run', 'Explain @a.txt to me@example.com', '--trust', ...args])
    expect(code).toBe(0)
    const [first, second] = chat.requests.map((request) => JSON.stringify(request))
    expect(first).toContain('Use tabs.')
    expect(first).toContain('- release: How to release')
    expect(first).toContain(String.raw`<attached kind=\"file\" path=\"a.txt\">\nhola\n\n</attached>`)
    expect(first).toContain('Plain words.')
    expect(second).toContain('Count backwards.')
    expect(
      events.filter(
        ({ event, item }) => event === 'conversation.item' && JSON.stringify(item).includes('"kind":"instructions"'),
      ),
    ).toHaveLength(2)
  })

  it('sends nothing if a quoted mention names a missing file, except in text on standard input', async () => {
    const { code } = await tizona(['run', 'Explain @"no such file.txt"', ...args])
    expect(code).not.toBe(0)
    expect(spoken.join('\n')).toContain('no such file.txt')
    expect(chat.requests).toEqual([])
    expect(await tizona(['run', '-', ...args], { stdin: 'Explain NSLog(@"Hello")' })).toMatchObject({ code: 0 })
  })

  it('sends results to the model until it makes no more calls', async () => {
    chat.reply = (turn) => (turn === 1 ? calls('read_file', { path: 'a.txt' }) : [{ content: 'It says hola.' }])
    const { code, events } = await tizona(['run', 'Read', ...args])
    expect(code).toBe(0)
    expect(JSON.stringify(chat.requests[1])).toContain('hola')
    expect(events.at(-1)).toMatchObject({ text: 'It says hola.' })
  })

  it('reports what fills the context in each request, and includes the tools that fit the profile or context size', async () => {
    const offered = () => {
      const tools = chat.requests.at(-1)
      // The test checks only the sent tools.
      return (tools as { tools: { function: { name: string } }[] }).tools.length
    }
    const { events } = await tizona(['run', 'Hi', ...args, '--context-window', '8192'])
    expect(events.filter(({ event }) => event === 'conversation.context')).toEqual([
      expect.objectContaining({
        context: expect.objectContaining({
          window: 8192,
          assumed: false,
          profile: 'compact',
          answer: 1024,
          tools: expect.any(Number),
        }),
      }),
    ])
    const compact = offered()
    await tizona(['run', 'Hi', ...args, '--context-window', '8192', '--profile', 'minimal'])
    expect(offered()).toBeLessThan(compact)
    await tizona(['run', 'Hi', ...args, '--profile', 'full'])
    expect(offered()).toBeGreaterThan(compact)
  })

  it('exits with 4 if a call required approval', async () => {
    chat.reply = (turn) =>
      turn === 1 ? calls('write_file', { path: 'b.txt', content: 'x' }) : [{ content: 'I may not.' }]
    expect(await tizona(['run', 'Write', ...args])).toMatchObject({ code: 4 })
    expect(JSON.stringify(chat.requests[1])).toContain('approval_required')
  })

  it('writes in a mode that does not require approval', async () => {
    chat.reply = (turn) =>
      turn === 1 ? calls('write_file', { path: 'b.txt', content: 'x' }) : [{ content: 'Written.' }]
    expect(await tizona(['run', 'Write', ...args, '--mode', 'cautious'])).toMatchObject({ code: 0 })
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('x')
  })

  it('exits with 5 at the turn limit', async () => {
    chat.reply = () => calls('read_file', { path: 'a.txt' })
    expect(await tizona(['run', 'Read on', ...args, '--max-turns', '2'])).toMatchObject({ code: 5 })
    expect(chat.requests).toHaveLength(2)
  })

  it('exits with 3 if no server is listening', async () => {
    const { code, events } = await tizona([
      'run',
      'Hi',
      '--workspace',
      workspace,
      '--endpoint',
      'http://127.0.0.1:9',
      '--model',
      'm',
    ])
    expect(code).toBe(3)
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', outcome: 'endpoint_failed' })
  })

  it("detects the API of the server if none is given, and uses Ollama's own for Ollama", async () => {
    const posted: string[] = []
    const ollama = createServer((request, response) => {
      if (request.method === 'POST') posted.push(String(request.url))
      request.resume()
      if (request.url === '/api/version') return void response.end('{"version":"0.9.0"}')
      if (request.url === '/api/tags') return void response.end('{"models":[]}')
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      response.end('{"message":{"role":"assistant","content":"Hi."},"done":true,"done_reason":"stop"}\n')
    })
    await new Promise<void>((done) => {
      ollama.listen(0, '127.0.0.1', done)
    })
    const address = ollama.address()
    const port = typeof address === 'object' ? address?.port : undefined
    try {
      const { code } = await tizona([
        'run',
        'Hi',
        '--workspace',
        workspace,
        '--endpoint',
        `http://127.0.0.1:${port}/v1`,
        '--model',
        'm',
      ])
      expect(code).toBe(0)
      expect(posted).toContain('/api/chat')
    } finally {
      ollama.closeAllConnections()
      await new Promise((done) => {
        ollama.close(done)
      })
    }
  })

  it('exits with 1 if the store fails during the turn', async () => {
    await tizona(['tools'])
    const db = new DatabaseSync(join(home, 'user', 'tizona.db'))
    db.exec(
      "CREATE TRIGGER refuse BEFORE INSERT ON items WHEN json_extract(new.json, '$.kind') <> 'user' BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END",
    )
    db.close()
    const { code, events } = await tizona(['run', 'Hi', ...args])
    expect(code).toBe(1)
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', outcome: 'failed', exitCode: 1 })
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'notice',
        level: 'error',
        message: expect.stringContaining('the disk is gone'),
      }),
    )
  })

  it('prints one run.ended with the reason if the data folder cannot be used', async () => {
    await writeFile(join(home, 'user'), '')
    const { code, events } = await tizona(['run', 'Hi', ...args])
    expect(code).toBe(1)
    expect(events).toEqual([
      expect.objectContaining({
        event: 'run.ended',
        outcome: 'failed',
        exitCode: 1,
        error: expect.objectContaining({ message: expect.stringContaining('data folder') }),
      }),
    ])
  })

  it('prints one run.ended if the store fails before the turn', async () => {
    await tizona(['tools'])
    const db = new DatabaseSync(join(home, 'user', 'tizona.db'))
    db.exec("CREATE TRIGGER refuse BEFORE INSERT ON conversations BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    db.close()
    const { code, events } = await tizona(['run', 'Hi', ...args])
    expect(code).toBe(1)
    expect(events.filter(({ event }) => event === 'run.ended')).toMatchObject([
      { outcome: 'failed', exitCode: 1, error: { message: expect.stringContaining('the disk is full') } },
    ])
  })

  it('exits with 130 and closes the connection when it is interrupted', async () => {
    chat.reply = () => 'silence'
    const controller = new AbortController()
    const running = tizona(['run', 'Wait', ...args], { interrupted: controller.signal })
    await vi.waitFor(() => expect(chat.requests).toHaveLength(1))
    controller.abort()
    expect(await running).toMatchObject({
      code: 130,
      events: expect.arrayContaining([expect.objectContaining({ event: 'run.ended', outcome: 'cancelled' })]),
    })
    await vi.waitFor(() => expect(chat.closed).toBe(1))
  })
})

describe('a damaged store', () => {
  it.each<[words: string[], code: number]>([
    [['tools'], 0],
    [['conversations', '--workspace', 'WS'], 0],
    [['call', 'read_file', '{"path":"a.txt"}', '--workspace', 'WS'], 0],
    [['call', 'read_file', '{"path":"none.txt"}', '--workspace', 'WS'], 1],
    [['export', 'none'], 2],
  ])('%j is reported on standard error and does not change the exit code %d', async (words, code) => {
    const args = words.map((word) => (word === 'WS' ? workspace : word))
    expect((await tizona(args)).code).toBe(code)
    const file = join(home, 'user', 'tizona.db')
    const damaged = await open(file, 'r+')
    await damaged.write(Buffer.alloc(100, 0xa5), 0, 100, 0)
    await damaged.close()
    spoken.length = 0
    const { code: codeThen, out } = await tizona(args)
    expect(codeThen).toBe(code)
    expect(spoken.join('\n')).toContain('was damaged')
    expect(out).not.toContain('was damaged')
    expect((await readdir(join(home, 'user'))).some((name) => name.startsWith('tizona.db.broken-'))).toBe(true)
    // The store is repaired, so there is no further notice.
    spoken.length = 0
    expect((await tizona(args)).code).toBe(code)
    expect(spoken.join('\n')).not.toContain('damaged')
  })
})

describe('an unhandled error', () => {
  it('exits with 1 and prints the message', async () => {
    const from = (file: string) => JSON.stringify(resolve(import.meta.dirname, file))
    const script = `import { endOnUnhandledError } from ${from('commandDispatch.ts')}; import { ToolError } from ${from('../../../shared/errors.ts')}
      endOnUnhandledError(); setInterval(() => {}, 1000); Promise.reject(new ToolError('no_space', 'The disk is full.', 'Free space.'))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    expect(
      await new Promise((done) => {
        child.once('close', done)
      }),
    ).toBe(1)
    expect(said).toBe('The disk is full. Free space.\n')
  })
})

describe('a signal', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the running command with %d, and the result is printed', async (name, code) => {
    const sleep = markedSleep()
    const call = [
      'call',
      'run_command',
      JSON.stringify({ command: sleep.command }),
      '--workspace',
      workspace,
      '--mode',
      'yolo',
    ]
    const child = spawn(process.execPath, [headlessProgram, ...call], {
      env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    const closed = new Promise((done) => {
      child.once('close', done)
    })
    const pid = await sleep.pid()
    child.kill(name)
    expect(await closed).toBe(code)
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
  })
})

describe('a closed output pipe', () => {
  it('ends the command without an error message', async () => {
    // `tizona tools | head -1`, with a pipe that breaks at once.
    const child = spawn(process.execPath, [headlessProgram, 'tools', '--format', 'openai'], {
      env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const code = await new Promise((done) => {
      child.once('close', done)
    })
    expect([0, 130]).toContain(code)
    expect(said).not.toMatch(/EPIPE|Error/)
  })
})
