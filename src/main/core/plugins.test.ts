import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { probeSandbox } from '../command/sandbox/sandboxProbe.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, say, type ScriptedChatRequest } from '../model/scripted/scenario.ts'
import { startOneSlotServer, type OneSlotServer } from '../model/testing/oneSlotServer.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

// What plug-ins bring, through the real core: hooks in the real sandbox, a real server, texts and sub-agents.

const signal = new AbortController().signal
const isSandboxed = (await probeSandbox()).state.kind === 'available'
const json = (value: unknown) => JSON.stringify(value)

let home: string
let root: string
let core: Core
let server: OneSlotServer
/** What the model was sent. */
let requests: ScriptedChatRequest[]
/** What the model answers. */
let respond: (request: ScriptedChatRequest) => ReturnType<typeof answer>

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-plugins-')))
  root = join(home, 'repository')
  await write(root, { 'notes.txt': 'first\n' })
  requests = []
  respond = () => answer(say('Done.'))
  server = await startOneSlotServer({
    window: 32_768,
    models: ['one-slot', 'hammer', 'anvil'],
    respond(request) {
      requests.push(request)
      return respond(request)
    },
  })
  core = await createCore({
    platform: {
      host: 'browser',
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
      fork: inProcessIndex,
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: { endpointId: 'e', model: 'one-slot' },
      mode: 'yolo',
      toolset: 'blade',
    },
  })
  await core.openWorkspace(root)
  await core.handlers['trust.decide']({ choice: 'folder' }, signal)
})
afterEach(async () => {
  await core.dispose()
  await server.close()
  await rm(home, { recursive: true, force: true })
})

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Adds a plug-in, and trusts it. */
async function add(files: Readonly<Record<string, string>>, { name = 'forge', trusted = true } = {}) {
  const folder = join(home, `plugin-${name}`)
  await write(folder, { '.claude-plugin/plugin.json': json({ name }), ...files })
  const { plugin } = await core.handlers['plugins.addFolder']({ path: folder }, signal)
  if (trusted) await core.handlers['plugins.trust']({ name, hash: plugin.hash, trusted: true }, signal)
  return plugin
}

const run = (name: string, args: Record<string, unknown>) =>
  core.executor.call({ callId: 'c', name, arguments: args, toolset: 'blade', mode: 'yolo', attended: false, signal })
const writeNotes = () => run('write_file', { path: 'notes.txt', content: 'second\n' })

const hooks = (command: string) => ({
  'hooks/hooks.json': json({ hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command }] }] } }),
})
const check = { ...hooks('"${CLAUDE_PLUGIN_ROOT}"/check.sh'), 'check.sh': '#!/bin/bash\necho "No." >&2; exit 2\n' }

describe.runIf(isSandboxed)('a hook of a plug-in', () => {
  it('runs after the trust only, while the plug-in is enabled, and never in a restricted folder', async () => {
    const { hash } = await add(check, { trusted: false })
    expect(await writeNotes()).toMatchObject({ ok: true })
    await core.handlers['plugins.trust']({ name: 'forge', hash, trusted: true }, signal)
    expect((await writeNotes()).text).toContain('No.')
    await core.handlers['plugins.setEnabled']({ name: 'forge', enabled: false }, signal)
    expect(await writeNotes()).toMatchObject({ ok: true })
    await core.handlers['plugins.setEnabled']({ name: 'forge', enabled: true }, signal)
    await core.handlers['trust.decide']({ choice: 'restricted' }, signal)
    expect(await writeNotes()).toMatchObject({ ok: true })
    await core.handlers['trust.decide']({ choice: 'folder' }, signal)
    expect(await writeNotes()).toMatchObject({ ok: false })
    await core.handlers['plugins.remove']({ name: 'forge' }, signal)
    expect(await writeNotes()).toMatchObject({ ok: true })
  })

  it('reads its folder and the workspace, and cannot change its folder', async () => {
    await add({
      ...check,
      'word.txt': 'straw',
      'check.sh':
        '#!/bin/bash\necho x > "$CLAUDE_PLUGIN_ROOT/new" && echo written >&2\ncat "$CODEX_PLUGIN_ROOT/word.txt" >&2; pwd >&2; exit 2\n',
    })
    const { text } = await writeNotes()
    expect(text).toContain(`straw${root}`)
    expect(text).not.toContain('written')
    expect((await core.handlers['plugins.list']({}, signal))[0]?.state).toBe('trusted')
  })

  it('keeps data in a folder of its own over updates, and does not run where it is off', async () => {
    await add({
      ...hooks('bash "${CLAUDE_PLUGIN_ROOT}/check.sh"'),
      'check.sh': '#!/bin/bash\necho x >> "$CLAUDE_PLUGIN_DATA/count"; wc -l < "$PLUGIN_DATA/count" >&2; exit 2\n',
    })
    expect((await writeNotes()).text).toMatch(/Its reason: 1\b/)
    await write(join(home, 'plugin-forge'), { 'more.txt': '' })
    const { plugin } = await core.handlers['plugins.check']({ name: 'forge' }, signal)
    await core.handlers['plugins.accept']({ name: 'forge', hash: plugin.offered?.hash ?? '' }, signal)
    expect((await writeNotes()).text).toMatch(/Its reason: 2\b/)
    const choose = (enabled: boolean) =>
      core.handlers['plugins.setEnabled']({ name: 'forge', enabled, onlyHere: true }, signal)
    await choose(false)
    expect(await writeNotes()).toMatchObject({ ok: true })
    await choose(true)
    expect((await writeNotes()).text).toMatch(/Its reason: 3\b/)
    await core.handlers['plugins.remove']({ name: 'forge', deleteData: true }, signal)
    await expect(readdir(join(home, 'user', 'plugin-data'))).resolves.toEqual([])
  })

  const server = (change: object) => ({
    '.mcp.json': json({ anvil: { command: 'no-such-program', args: [], env: {}, ...change } }),
  })
  it.each([
    ['program of a server', server({ command: '${CLAUDE_PLUGIN_DATA}/venv/bin/python' })],
    ['argument of a server', server({ args: ['${PLUGIN_DATA}/server.mjs'] })],
    ['variable of a server', server({ env: { NODE_PATH: '${CLAUDE_PLUGIN_DATA}/node_modules' } })],
    ['command of a hook', hooks('"$CLAUDE_PLUGIN_DATA/bin/lint" || bash "${CLAUDE_PLUGIN_ROOT}/check.sh"')],
  ])('reads its data and cannot change it, if a %s comes from there', async (_what, files) => {
    const script = '#!/bin/bash\necho x > "$PLUGIN_DATA/new" && echo written >&2\ncat "$PLUGIN_DATA/old" >&2; exit 2\n'
    await write(join(home, 'user', 'plugin-data', 'forge'), { old: 'kept' })
    await add({ ...hooks('bash "${CLAUDE_PLUGIN_ROOT}/check.sh"'), 'check.sh': script, ...files })
    const { text } = await writeNotes()
    expect(text).toContain('kept')
    expect(text).not.toContain('written')
    expect(await readdir(join(home, 'user', 'plugin-data', 'forge'))).toEqual(['old'])
  })

  it('refuses what it checks when a file of the plug-in has changed', async () => {
    const { root: copy } = await add({ ...check, 'check.sh': '#!/bin/bash\nexit 0\n', 'other.txt': 'a' })
    expect(await writeNotes()).toMatchObject({ ok: true })
    await chmod(join(copy, 'other.txt'), 0o600)
    await writeFile(join(copy, 'other.txt'), 'b')
    expect((await writeNotes()).text).toContain('The plug-in forge has changed since it was trusted')
    const [hook] = (await core.handlers['hooks.list']({}, signal)).hooks
    expect(hook).toMatchObject({ state: 'changed', plugin: { name: 'forge', changed: true } })
    await core.handlers['hooks.decide']({ id: hook?.id ?? '', approved: false }, signal)
    expect(await writeNotes()).toMatchObject({ ok: true })
  })

  it('that names files of the folder needs an approval for this folder, which ends when they change', async () => {
    await write(root, { 'rules.sh': 'exit 2\n' })
    await add(hooks('bash rules.sh'))
    const { ok, text } = await writeNotes()
    expect(ok).toBe(false)
    expect(text).toContain('files of this folder that need approval (rules.sh)')
    expect(text).toContain('Settings, under Hooks')
    const [hook] = (await core.handlers['hooks.list']({}, signal)).hooks
    expect(hook).toMatchObject({ state: 'new', scripts: ['rules.sh'] })
    await core.handlers['hooks.decide']({ id: hook?.id ?? '', approved: true }, signal)
    expect(await writeNotes()).toMatchObject({ ok: false })
    await write(root, { 'rules.sh': 'exit 0\n' })
    expect((await writeNotes()).text).toContain('has changed since it was approved')
  })

  it('still decides when the folder gets files named like the programs of its command', async () => {
    await add({ ...check, ...hooks('bash "${CLAUDE_PLUGIN_ROOT}"/check.sh') })
    expect((await writeNotes()).text).toContain('No.')
    await write(root, { bash: 'x', 'package.json': '{}', '${CLAUDE_PLUGIN_ROOT}': 'x' })
    expect((await writeNotes()).text).toContain('No.')
    const [hook] = (await core.handlers['hooks.list']({}, signal)).hooks
    expect(hook).toMatchObject({ state: 'approved', scripts: [] })
  })

  it('that allows a call does not pass the gate', async () => {
    await add({
      ...check,
      'check.sh': `#!/bin/bash\necho '${json({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })}'\n`,
    })
    const asked = await core.executor.call({
      callId: 'c',
      name: 'write_file',
      arguments: { path: 'notes.txt', content: 'x' },
      toolset: 'blade',
      mode: 'safe',
      attended: false,
      signal,
    })
    expect(asked).toMatchObject({ ok: false, error: { code: 'approval_required' } })
  })
})

/** A server that reports its working folder and its arguments as the description of its tool. */
const anvil = `
const tool = { name: 'strike', description: process.cwd() + ' ' + process.argv[2] + ' ' + process.pid, inputSchema: { type: 'object' } }
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'anvil', version: '1' } },
  'tools/list': { tools: [tool] },
  'tools/call': { content: [{ type: 'text', text: 'struck' }] },
}
let rest = ''
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  }
})
`
const servers = {
  '.mcp.json': json({ anvil: { command: process.execPath, args: ['./anvil.mjs', '${CLAUDE_PLUGIN_ROOT}/x'] } }),
  'anvil.mjs': anvil,
}
const listed = async () => (await core.handlers['mcp.state']({}, signal)).servers

describe('a server of a plug-in', () => {
  it('gets the folder for its data, and does not start in a folder where the plug-in is off', async () => {
    await add({ ...servers, '.mcp.json': servers['.mcp.json'].replace('CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA') })
    await expect.poll(async () => (await listed())[0]?.state, { timeout: 10_000 }).toBe('connected')
    const [, argument] = (await listed())[0]?.tools[0]?.description.split(' ') ?? []
    expect(argument).toBe(join(home, 'user', 'plugin-data', 'forge', 'x'))
    await core.handlers['plugins.setEnabled']({ name: 'forge', enabled: false, onlyHere: true }, signal)
    await expect.poll(async () => (await listed()).length, { timeout: 10_000 }).toBe(0)
  })

  it('starts in the folder of the plug-in after the trust, beside one of the user with its name, and stops with it', async () => {
    const definition = { type: 'stdio' as const, command: 'no-such-program', args: [], env: {} }
    await core.handlers['mcp.save']({ name: 'anvil', definition, secrets: {} }, signal)
    const { hash, root: copy } = await add(servers, { trusted: false })
    expect((await listed()).map(({ name }) => name)).toEqual(['anvil'])
    await core.handlers['plugins.trust']({ name: 'forge', hash, trusted: true }, signal)
    await expect
      .poll(async () => (await listed()).find(({ name }) => name === 'forge:anvil')?.state, { timeout: 10_000 })
      .toBe('connected')
    const found = (await listed()).find(({ name }) => name === 'forge:anvil')
    expect(found).toMatchObject({ key: 'plugin:forge:anvil', origin: 'plugin', plugin: 'forge' })
    const [folder, argument, pid] = found?.tools[0]?.description.split(' ') ?? []
    expect([folder, argument]).toEqual([copy, `${copy}/x`])
    expect(found?.tools[0]?.name).toBe('forge_anvil__strike')
    await core.handlers['plugins.remove']({ name: 'forge' }, signal)
    await expect.poll(async () => (await listed()).map(({ name }) => name)).toEqual(['anvil'])
    await expect.poll(() => isRunning(Number(pid)), { timeout: 10_000 }).toBe(false)
  })

  it('gets no call and ends when a file of the plug-in has changed while it runs', async () => {
    const { root: copy } = await add(servers)
    await expect.poll(async () => (await listed())[0]?.state, { timeout: 10_000 }).toBe('connected')
    expect((await run('forge_anvil__strike', {})).text).toContain('struck')
    await writeFile(join(copy, 'added.mjs'), '')
    const { ok, text } = await run('forge_anvil__strike', {})
    expect(ok).toBe(false)
    expect(text).toContain('its files have changed, so its MCP server is not used')
    await expect.poll(async () => (await listed()).length, { timeout: 10_000 }).toBe(0)
  })

  it('does not start again when a file of the plug-in has changed', async () => {
    const { root: copy } = await add(servers)
    await expect.poll(async () => (await listed())[0]?.state, { timeout: 10_000 }).toBe('connected')
    await writeFile(join(copy, 'added.mjs'), '')
    await core.handlers['mcp.restart']({ key: 'plugin:forge:anvil' }, signal)
    await expect.poll(async () => (await listed()).length).toBe(0)
  })
})

it('secrets of a server are deleted with the plug-in, and when an update starts another program', async () => {
  const withSecret = (command: string) => ({
    '.mcp.json': json({ anvil: { command, args: [], env: { KEY: '${input:key}' } } }),
  })
  const stored = async () => (await listed())[0]?.inputs
  const store = () => core.handlers['mcp.setSecrets']({ key: 'plugin:forge:anvil', secrets: { key: 'secret' } }, signal)
  await add(withSecret('no-such-program'))
  await expect.poll(stored).toEqual([{ name: 'key', stored: false }])
  await store()
  expect(await stored()).toEqual([{ name: 'key', stored: true }])
  await write(join(home, 'plugin-forge'), withSecret('another-program'))
  const { plugin } = await core.handlers['plugins.check']({ name: 'forge' }, signal)
  await core.handlers['plugins.accept']({ name: 'forge', hash: plugin.offered?.hash ?? '' }, signal)
  await core.handlers['mcp.restart']({ key: 'plugin:forge:anvil' }, signal)
  expect(await stored()).toEqual([{ name: 'key', stored: false }])
  await store()
  await core.handlers['plugins.remove']({ name: 'forge' }, signal)
  await add(withSecret('another-program'))
  await expect.poll(stored).toEqual([{ name: 'key', stored: false }])
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('prompts and skills of plug-ins', () => {
  const texts = {
    'commands/inspect.md': '---\ndescription: Inspects\n---\nInspect $1.',
    'commands/new.md': 'A prompt named like a built-in command.',
    'skills/temper/SKILL.md': '---\ndescription: Tempers\n---\nHeat it.',
    'skills/temper/references/colors.md': 'Straw.',
    'skills/temper/logo.png': '\0',
  }
  it('have the name of the plug-in before theirs, so that they hide no others', async () => {
    await write(join(home, 'user'), { 'commands/inspect.md': 'Mine.', 'skills/temper/SKILL.md': 'My skill.' })
    const { hash } = await add(texts, { trusted: false })
    expect((await core.handlers['prompts.list']({}, signal)).map(({ name }) => name)).toEqual(['inspect'])
    await core.handlers['plugins.trust']({ name: 'forge', hash, trusted: true }, signal)
    await add({ 'commands/inspect.md': 'Other $1.' }, { name: 'other' })
    expect((await core.handlers['prompts.list']({}, signal)).map(({ name, source }) => `${name} ${source}`)).toEqual([
      'inspect user',
      'forge:inspect plugin',
      'forge:new plugin',
      'other:inspect plugin',
    ])
    const expand = (name: string) => core.handlers['prompts.expand']({ name, args: 'sword' }, signal)
    expect(await expand('inspect')).toBe('Mine.\n\nsword')
    expect(await expand('forge:inspect')).toBe('Inspect sword.')
    expect(await expand('other:inspect')).toBe('Other sword.')
    await expect(expand('forge:../x')).rejects.toMatchObject({ code: 'not_found' })
    expect((await run('load_skill', { name: 'temper' })).text).toContain('My skill.')
    const skill = await run('load_skill', { name: 'forge:temper' })
    expect(skill.text).toContain('Heat it.')
    expect(skill.text).toContain('forge:temper/references/colors.md')
    expect((await run('load_skill', { name: 'forge:temper/references/colors.md' })).text).toContain('Straw.')
    expect(await run('load_skill', { name: 'forge:temper/logo.png' })).toMatchObject({ ok: false })
    expect(await run('load_skill', { name: 'forge:temper/../../commands/new.md' })).toMatchObject({ ok: false })
  })

  it('are in the instructions of a conversation, also in a restricted folder, and not after their removal', async () => {
    await add(texts)
    await core.handlers['trust.decide']({ choice: 'restricted' }, signal)
    await turn('Hello')
    expect(json(requests.at(-1)?.messages)).toContain('forge:temper: Tempers')
    expect((await run('load_skill', { name: 'temper' })).text).toContain('Heat it.')
    await core.handlers['plugins.remove']({ name: 'forge' }, signal)
    await turn('Hello')
    expect(json(requests.at(-1)?.messages)).not.toContain('forge:temper')
  })
})

/** Sends a message in a new conversation and waits for the end of its turn. */
async function turn(text: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const stop = core.subscribe((name) => {
      if (name !== 'conversation.turnEnded') return
      stop()
      resolve()
    })
  })
  const { id } = (await core.handlers['conversations.create']({}, signal)).info
  await core.handlers['conversations.send']({ id, text }, signal)
  await ended
}

describe('a sub-agent of a plug-in', () => {
  const agents = {
    'agents/quench.md': '---\nname: quench\ndescription: Quenches.\ntools: Read, Grep\n---\nYou quench steel.',
    'agents/smith.md': '---\nname: smith\ndescription: Forges.\n---\nYou forge.',
  }
  const task = async () =>
    (await core.handlers['tools.list']({ toolset: 'blade' }, signal)).find(({ name }) => name === 'task')

  it('is a kind of the tool for sub-agents while the plug-in is there, with its instructions and tools', async () => {
    const plain = await task()
    expect(json(plain)).not.toContain('"agent"')
    await add(agents)
    await expect.poll(async () => json(await task())).toContain('forge:quench (Quenches.)')
    respond = ({ messages }) => {
      if (messages[0]?.content.startsWith('You do one part')) return answer(say('Quenched.'))
      return messages.some(({ role }) => role === 'tool')
        ? answer(say('Done.'))
        : answer(
            call('task', { prompt: 'Quench.', agent: 'forge:quench', allow_changes: true }),
            call('task', { prompt: 'Forge.', agent: 'forge:smith', allow_changes: true }),
          )
    }
    await turn('Begin')
    const own = requests.filter(({ messages }) => messages[0]?.content.startsWith('You do one part'))
    expect(own.map(({ messages }) => messages[0]?.content.split('\n').at(-1))).toEqual([
      'You quench steel.',
      'You forge.',
    ])
    const tools = own.map((request) => request.tools ?? [])
    expect(tools[0]).not.toContain('write_file')
    expect(tools[1]).toContain('write_file')
    const copy = (await core.handlers['plugins.list']({}, signal))[0]?.root ?? ''
    await writeFile(join(copy, 'added.md'), '')
    requests = []
    await turn('Begin again')
    expect(requests.filter(({ messages }) => messages[0]?.content.startsWith('You do one part'))).toEqual([])
    expect(json(requests.at(-1)?.messages)).toContain('forge:quench')
    await core.handlers['plugins.remove']({ name: 'forge' }, signal)
    await expect.poll(task).toEqual(plain)
  })

  /** Runs the sub-agent, and returns the models that it used and what the window was sent. */
  async function quench(model: string): Promise<{ models: unknown[]; items: string }> {
    await add({ 'agents/quench.md': `---\ndescription: Quenches.\nmodel: ${model}\n---\nYou quench steel.` })
    await expect.poll(async () => json(await task())).toContain('forge:quench')
    const isOwn = ({ messages }: ScriptedChatRequest) => messages[0]?.content.startsWith('You do one part')
    respond = (request) =>
      isOwn(request)
        ? answer(say('Quenched.'))
        : request.messages.some(({ role }) => role === 'tool')
          ? answer(say('Done.'))
          : answer(call('task', { prompt: 'Quench.', agent: 'forge:quench' }))
    const items: unknown[] = []
    core.subscribe((name, payload) => name === 'conversation.item' && items.push(payload))
    await turn('Begin')
    return { models: requests.filter(isOwn).map(({ body }) => body['model']), items: json(items) }
  }

  it.each([
    ['hammer', 'hammer', 'It ran on hammer of E.'],
    ['inherit', 'one-slot', undefined],
    ['opus', 'one-slot', undefined],
    ['tongs', 'one-slot', 'forge:quench names the model tongs, which neither'],
  ])('that names the model %s runs on %s', async (model, expected, note) => {
    const { models, items } = await quench(model)
    expect(models).toEqual([expected])
    if (note === undefined) expect(items).not.toMatch(/It ran on|names the model/)
    else expect(items).toContain(note)
  })

  it.each(['hammer', 'inherit', 'tongs'])('that names the model %s runs on the model of the setting', async (model) => {
    await core.handlers['settings.set']({ subAgentModel: { endpointId: 'e', model: 'anvil' } }, signal)
    const { models, items } = await quench(model)
    expect(models).toEqual(['anvil'])
    expect(items).toContain('It ran on anvil of E.')
    expect(items).not.toContain('names the model')
  })
})
