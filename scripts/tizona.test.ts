import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scenarios } from '../e2e/scenarios/index.ts'
import { startScriptedEndpoint } from '../src/main/model/scripted/scriptedEndpoint.ts'
import { usage } from '../src/main/hosts/headless/commandHelp.ts'
import { chosenCases } from '../src/main/testing/longForm.ts'

// Every line of `tizona --help` as its user types it: through the program that npx starts, on real folders and the
// built product.

const program = resolve(import.meta.dirname, 'tizona.mjs')
let home: string
let endpoint: Awaited<ReturnType<typeof startScriptedEndpoint>>
const tried = new Set<string>()

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-cli-'))
  await mkdir(join(home, 'project'))
  await mkdir(join(home, 'second'))
  await writeFile(join(home, 'project', 'a.txt'), 'hola\n')
  endpoint = await startScriptedEndpoint(scenarios.runCommand)
})
afterAll(async () => {
  await endpoint.close()
  await rm(home, { recursive: true, force: true })
})

interface Outcome {
  code: number | null
  out: string
  err: string
}

/** Types a command line in the folder `home`. @param until ends the program once it has printed this */
function type(
  args: readonly string[],
  { file = process.execPath, before = [program], until }: { file?: string; before?: string[]; until?: RegExp } = {},
): Promise<Outcome> {
  tried.add(args[0] ?? '')
  const child = spawn(file, [...before, ...args], {
    cwd: home,
    env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outcome: Outcome = { code: null, out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    outcome.out += chunk.toString()
    if (until?.test(outcome.out)) child.kill('SIGTERM')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    outcome.err += chunk.toString()
  })
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done({ ...outcome, code }))
  })
}

const succeeded = ({ code, err, out }: Outcome): void =>
  expect({ code, err }, out.slice(-2000)).toMatchObject({
    code: 0,
    err: expect.not.stringMatching(/Unknown option|Unknown command/),
  })
const objects = ({ out }: Outcome): Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>) // The output has one JSON object per line.

it('runs every command that --help lists', async () => {
  const help = await type(['--help'])
  expect(help.out).toBe(`${usage}\n`)
  const npx = await type(['--version'], {
    file: 'npx',
    before: ['--no-install', '--prefix', resolve(import.meta.dirname, '..'), 'tizona'],
  })
  expect(npx).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })

  succeeded(await type(['tools', '--toolset', 'rusty', '--format', 'text']))
  expect(objects(await type(['call', 'read_file', '{"path":"a.txt"}', '--workspace', 'project']))).toEqual([
    expect.objectContaining({ ok: true }),
  ])
  succeeded(
    await type([
      'run',
      'run: echo ran > b.txt',
      '--workspace',
      'project',
      '--endpoint',
      endpoint.url,
      '--model',
      'scripted',
      '--mode',
      'yolo',
      '--review',
    ]),
  )
  expect(readFileSync(join(home, 'project', 'b.txt'), 'utf8')).toBe('ran\n')

  const reviewed = await type(['review', '--workspace', 'project', '--since', 'last', '--json'])
  succeeded(reviewed)
  expect(objects(reviewed)).toEqual([
    expect.objectContaining({ path: 'b.txt', change: 'created', hunks: [expect.objectContaining({ hunk: 1 })] }),
  ])
  const kept = await type(['review', '--workspace', 'project', '--keep', 'b.txt:1'])
  succeeded(kept)
  expect(kept.out).toBe('')

  const listed = await type(['conversations', '--workspace', 'project'])
  succeeded(listed)
  const id = String(objects(listed)[0]?.['id'])
  const exported = await type(['export', id, '--format', 'json'])
  succeeded(exported)
  await writeFile(join(home, 'conversation.json'), exported.out)
  succeeded(await type(['import', 'conversation.json', '--workspace', 'second']))
  succeeded(await type(['replay', 'conversation.json', '--workspace', 'second', '--mode', 'yolo']))
  expect(readFileSync(join(home, 'second', 'b.txt'), 'utf8')).toBe('ran\n')

  const checkpoints = await type(['checkpoints', 'list', '--workspace', 'project'])
  succeeded(checkpoints)
  const checkpoint = String(objects(checkpoints)[0]?.['id'])
  succeeded(await type(['checkpoints', 'show', checkpoint, '--workspace', 'project']))
  succeeded(await type(['checkpoints', 'restore', checkpoint, '--workspace', 'project']))
  succeeded(await type(['mcp', '--workspace', 'project']))
  succeeded(await type(['acp']))
  succeeded(await type(['tour']))
  const app = await type(['project', '--port', '0', '--no-open'], { until: /http:\/\/127\.0\.0\.1:\d+/ })
  expect(app.out).toMatch(/http:\/\/127\.0\.0\.1:\d+/)

  const checked = await type([
    'check-model',
    '--endpoint',
    endpoint.url,
    '--model',
    'scripted',
    '--tasks',
    'answer',
    '--json',
  ])
  succeeded(checked)
  expect(checked.out).toContain('"tizona": "model check"')

  const doctor = await type(['doctor', '--workspace', 'project', '--json'])
  expect(objects(doctor)).toContainEqual(expect.objectContaining({ name: 'Node.js', state: 'ok' }))
  // Nothing of a folder that is not trusted runs.
  const folder = expect.objectContaining({ group: 'Folder', fix: expect.stringMatching(/^tizona doctor .* --trust$/) })
  expect(objects(doctor)).toContainEqual(folder)
  expect(objects(doctor)).not.toContainEqual(expect.objectContaining({ group: 'Language servers' }))

  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
  execFileSync('git', ['init', '-q', 'repository'], { cwd: home })
  execFileSync('git', ['-C', 'repository', ...author, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: home })
  const server = ['--endpoint', endpoint.url, '--kind', 'openai', '--model', 'scripted', '--mode', 'yolo']
  const tries = await type(['tries', 'run: echo ran', '--workspace', 'repository', ...server, '--try', 'temperature=0'])
  succeeded(tries)
  expect(tries.out).toMatch(/^1 +scripted +0 +done .* try-1$/m)
  succeeded(await type(['sessions', 'list', '--workspace', 'project']))
  succeeded(await type(['plugins', 'list']))

  const explained = await type(['explain', 'cat a.txt | sort', '--workspace', 'project'])
  succeeded(explained)
  expect(explained.out).toContain('cat a.txt')

  // `COMMAND` stands for every command.
  const words = [...usage.matchAll(/^ {2}tizona (\S+)/gm)].map(([, word = '']) => word)
  const commands = words.filter((word) => !word.startsWith('[') && word !== 'COMMAND')
  expect(commands.filter((word) => !tried.has(word))).toEqual([])
  const described = [...new Set(commands.filter((each) => !each.startsWith('-')))]
  for (const word of chosenCases(described, 2)) {
    const own = await type([word, '--help'])
    succeeded(own)
    expect(own.out).toContain(`tizona ${word}`)
  }
}, 600_000)

it.runIf(existsSync(resolve(import.meta.dirname, '../.git')))(
  'npm does not change the program, because it is executable in git',
  () => {
    // npm sets the mode of a program that package.json names, which a clone would show as a change.
    expect(
      execFileSync('git', ['ls-files', '--stage', program], { encoding: 'utf8', cwd: import.meta.dirname }),
    ).toMatch(/^100755 /)
  },
)

it('serves the agent to an editor', async () => {
  const workspace = join(home, 'edited')
  await mkdir(workspace)
  const child = spawn(
    process.execPath,
    [program, 'acp', '--endpoint', endpoint.url, '--model', 'scripted', '--mode', 'yolo'],
    { env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') }, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  const closed = new Promise((done) => {
    child.once('close', done)
  })
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout))
  const connection = client({ name: 'test' }).connect(stream)
  await connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION })
  const { sessionId } = await connection.agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })
  expect(
    await connection.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: 'run: echo ran > b.txt' }],
    }),
  ).toEqual({ stopReason: 'end_turn' })
  expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('ran\n')
  connection.close()
  child.stdin.end()
  expect(await closed).toBe(0)
})
