import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mcpSettingsSchema, type McpServerStatus, type McpSettings, type McpState } from '../../shared/mcp.ts'
import { createJobs } from '../command/jobs.ts'
import { endTree, jobVariable, statFields } from '../command/processTree.ts'
import { createTrustStore, type TrustStore } from '../settings/trustStore.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { createMcp, secretId, type Mcp, type McpDeps } from './mcpServers.ts'
import { startHttpFixture, type HttpFixture } from './testing/httpFixture.ts'

const fixture = fileURLToPath(new URL('testing/fixtureServer.ts', import.meta.url))
const signal = new AbortController().signal
const quick = { start: 20_000, call: 20_000, wholeCall: 20_000, retries: [1, 1], steady: 60_000 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let trust: TrustStore
let settings: McpSettings
let secrets: Map<string, string>
let mcp: Mcp
let latest: McpState | undefined
const sites: HttpFixture[] = []

beforeEach(async () => {
  folder = await temporaryFolder()
  trust = await createTrustStore(join(folder.root, '.data'), () => undefined)
  settings = mcpSettingsSchema.parse({})
  secrets = new Map()
  latest = undefined
})
afterEach(async () => {
  await mcp.dispose()
  for (const site of sites.splice(0)) await site.close()
  await folder.remove()
})

const server = (behaviour = 'plain') => ({
  type: 'stdio' as const,
  command: process.execPath,
  args: [fixture, behaviour],
  env: {},
})

/** Opens the folder, by `path`, and starts what may be started. */
async function open(change: Partial<McpDeps> = {}, path = folder.root): Promise<Mcp> {
  const workspace = await openWorkspace(path)
  mcp = createMcp({
    workspace: workspace.root,
    home: workspace.root,
    version: '1',
    async readText(file) {
      const { absolute, exists } = await workspace.resolve(file, { missing: 'allow' })
      return exists ? readSmallFile(absolute) : null
    },
    settings: () => settings,
    trust,
    trustAll: false,
    secret: async (id) => secrets.get(id),
    environment: { TOKEN: 't0ken' },
    processes: {
      variable: jobVariable,
      begin: async () => `mcp-${randomUUID()}`,
      started: () => undefined,
      end: async (root, mark) => void (await endTree({ root, mark }, { signal: 'SIGTERM', graceMs: 2000 })),
    },
    onChanged: (state) => (latest = state),
    times: quick,
    ...change,
  })
  await mcp.refresh()
  await mcp.ready(signal)
  return mcp
}

const own = (definition: unknown, name = 'fixture') =>
  (settings = mcpSettingsSchema.parse({ ...settings, servers: { ...settings.servers, [name]: definition } }))
const workspaceFile = (servers: Record<string, unknown>, file = '.mcp.json') =>
  writeFile(join(folder.root, file), JSON.stringify({ mcpServers: servers }))
const only = (): McpServerStatus => {
  const [status, ...others] = mcp.state().servers
  if (!status || others.length > 0) throw new Error('not one server')
  return status
}
async function call(
  name: string,
  args: Record<string, unknown> = {},
  options: { signal?: AbortSignal; progress?: (text: string) => void } = {},
) {
  const tool = mcp.tools().find((each) => each.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool.call(args, { signal, progress: () => undefined, ...options })
}
/** Not ended; one that only waits for its parent to notice (Z in /proc) is. */
const isAlive = async (pid: number) => {
  const state = (await statFields(pid))?.[0]
  return state !== undefined && state !== 'Z'
}

describe('a server over standard input and output', () => {
  it("of the user's own does not start what the folder calls by its name, and a trusted one of the folder does", async () => {
    const home = await temporaryFolder()
    const program = (name: string) =>
      `import { writeFileSync } from 'node:fs'; writeFileSync('ran', ${JSON.stringify(name)}); process.argv[2] = 'plain'; await import(${JSON.stringify(fixture)})`
    await writeFile(join(home.root, 'server.mjs'), program("the user's"))
    await writeFile(join(folder.root, 'server.mjs'), program("the folder's"))
    const relative = { type: 'stdio' as const, command: process.execPath, args: ['server.mjs'], env: {} }
    try {
      own(relative)
      await open({ home: home.root })
      expect(only().state).toBe('connected')
      expect(await readFile(join(home.root, 'ran'), 'utf8')).toBe("the user's")
      await expect(readFile(join(folder.root, 'ran'))).rejects.toThrow('ENOENT')
      await mcp.dispose()

      settings = mcpSettingsSchema.parse({})
      await workspaceFile({ theirs: relative })
      await open({ home: home.root, trustAll: true })
      expect(await readFile(join(folder.root, 'ran'), 'utf8')).toBe("the folder's")
    } finally {
      await home.remove()
    }
  })

  it('offers its tools in order of their names, cleaned, with a risk its hints can only raise', async () => {
    own(server())
    await open()
    expect(only()).toMatchObject({ state: 'connected', key: 'user:fixture', origin: 'user' })
    const names = mcp.tools().map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
    expect(names).toContain('fixture__odd_name_')
    const risk = (name: string) => mcp.tools().find((tool) => tool.name === `fixture__${name}`)?.risk
    expect([risk('shout'), risk('erase'), risk('fail')]).toEqual(['execute', 'destructive', 'execute'])
    expect(mcp.tools().find(({ name }) => name === 'fixture__shout')?.description).toBe('Says a text loudly.')
    expect(only().tools.find(({ tool }) => tool === 'shout')?.description).toBe('Says a text\u202e loudly.\u0007')
    expect(only().log).toContain('started with plain')
  })

  it('runs in the workspace without a shell, with the environment its definition names and little else', async () => {
    process.env.TIZONA_TEST_SECRET = 'not for servers'
    own({
      command: process.execPath,
      args: [fixture, '${workspaceFolder}', '$(touch x)', '${MISSING:-otherwise}'],
      env: { KEY: '${env:TOKEN}', STORED: '${input:pass word}' },
    })
    secrets.set(secretId({ origin: 'user', name: 'fixture' }, '', 'pass word'), 's3cret')
    await open()
    delete process.env.TIZONA_TEST_SECRET
    const { text } = await call('fixture__environment')
    const told: unknown = JSON.parse(text)
    expect(told).toMatchObject({
      folder: folder.root,
      arguments: [folder.root, '$(touch x)', 'otherwise'],
      environment: { KEY: 't0ken', STORED: 's3cret', PATH: process.env.PATH },
    })
    expect(text).not.toContain('not for servers')
    expect(JSON.stringify(mcp.state())).not.toMatch(/s3cret|t0ken/)
  })

  it.each([
    ['${env:NOWHERE}', 'NOWHERE is not set'],
    ['${input:token}', '"token" is not stored'],
  ])('says which value of %s is missing and starts nothing', async (value, words) => {
    own({ ...server(), env: { KEY: value } })
    await open()
    expect(only().state).toBe('failed')
    expect(only().problem).toContain(words)
    expect(only().log).not.toContain('started with plain')
  })

  it('gives results as text, JSON and pictures, and a failure in the words of the server', async () => {
    own(server())
    await open()
    expect(await call('fixture__shout', { text: 'ho', times: 2 })).toEqual({ text: 'HOHO', json: false, pictures: [] })
    expect(await call('fixture__numbers')).toEqual({ text: '{\n  "sum": 3\n}', json: true, pictures: [] })
    const drawn = await call('fixture__picture')
    expect(drawn.pictures).toMatchObject([{ mimeType: 'image/png' }])
    expect(drawn.text).toMatch(
      /^\[A picture, image\/png, 8\d bytes; the user sees it\.\]\n\n\[A picture, image\/svg\+xml, 6 bytes\.\]$/,
    )
    await expect(call('fixture__fail')).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('There is no such record.'),
    })
  })

  it('cuts an answer of millions of characters', async () => {
    own(server())
    await open()
    const { text } = await call('fixture__huge')
    expect(text.length).toBeLessThan(1_000_200)
    expect(text).toContain('The server answered with 3,000,000 characters')
  })

  it('stays connected when an answer is longer than 10 MB, which is an error of that call alone', async () => {
    own(server())
    await open()
    const waiting = call('fixture__hang', {}, { signal: AbortSignal.timeout(60_000) }).catch((error: unknown) => error)
    await expect(call('fixture__enormous')).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/"fixture" answered with more than 10 MB/),
    })
    const { text } = await call('fixture__environment')
    expect(JSON.parse(text)).toMatchObject({ cancelled: 0 })
    expect(only()).toMatchObject({ state: 'connected' })
    expect(only().log.filter((line) => line.includes('started with'))).toHaveLength(1)
    await mcp.dispose()
    await waiting
  })

  it('passes on progress, and tells the server of a cancelled call', async () => {
    own(server())
    await open()
    const controller = new AbortController()
    const hanging = call(
      'fixture__hang',
      {},
      { signal: controller.signal, progress: (text) => controller.abort(new DOMException(text, 'AbortError')) },
    )
    await expect(hanging).rejects.toMatchObject({ name: 'AbortError', message: '1 of 2: half' })
    await vi.waitFor(async () =>
      expect(JSON.parse((await call('fixture__environment')).text)).toMatchObject({ cancelled: 1 }),
    )
  })

  it('gives up a call that shows no sign of life, and the next one works', async () => {
    own(server())
    await open({ times: { ...quick, call: 300 } })
    await expect(call('fixture__hang')).rejects.toMatchObject({ code: 'timeout' })
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
  })

  it('says that a server ended during a call, and starts it again', async () => {
    own(server())
    await open()
    await expect(call('fixture__exit')).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('ended before it answered'),
    })
    await vi.waitFor(() => expect(only().state).toBe('connected'), 15_000)
    expect(only().log).toContain('It ended with code 7.')
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
  })

  it('refuses a model, folders and input to a server that asks for them, and goes on', async () => {
    own(server())
    await open()
    expect(await call('fixture__ask')).toMatchObject({ text: 'rejected rejected rejected' })
  })

  it('takes over a changed list of tools', async () => {
    own(server())
    await open()
    const before = mcp.tools().length
    await call('fixture__grow')
    await vi.waitFor(() => expect(mcp.tools()).toHaveLength(before + 1))
    expect(mcp.tools().map(({ name }) => name)).toContain(`fixture__extra${before}`)
  })

  it('tries again a server that ends at once, a few times, and then shows its last words', async () => {
    own(server('dies'))
    await open()
    await vi.waitFor(() => expect(only().state).toBe('failed'), 15_000)
    expect(only().log.filter((line) => line === 'cannot go on: no disk')).toHaveLength(3)
    expect(only().problem).toBe('It ended before it was ready.')
  })

  it('connects at the second attempt', async () => {
    own(server('diesOnce'))
    await open()
    await vi.waitFor(() => expect(only().state).toBe('connected'), 15_000)
    expect(only().problem).toBeUndefined()
  })

  it('is not tried again where its program does not exist', async () => {
    own({ command: 'no-such-program-anywhere' })
    await open()
    expect(only()).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('"no-such-program-anywhere" was not found'),
    })
  })

  it('is given up when it never answers', async () => {
    own(server('silent'))
    await open({ times: { ...quick, start: 300, retries: [] } })
    expect(only()).toMatchObject({ state: 'failed', problem: 'It did not become ready in time.' })
  })

  it('is ended when it writes a line without end', async () => {
    own(server('flood'))
    await open({ times: { ...quick, retries: [] } })
    expect(only().state).toBe('failed')
    expect(only().log.join('\n')).toContain('a message of more than 268435456 bytes')
  })

  it('works though it prints other things on standard output', async () => {
    own(server('garbage'))
    await open()
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
    expect(only().log.join('\n')).toContain('is no message and was passed over')
  })

  it('takes with it what it started', async () => {
    own(server('child'))
    await open()
    const pid = Number(await readFile(join(folder.root, 'child.pid'), 'utf8'))
    expect(await isAlive(pid)).toBe(true)
    await mcp.dispose()
    expect(await isAlive(pid)).toBe(false)
  })

  it.runIf(process.platform === 'linux')(
    'is ended at the next start of Tizona, with what it started, when Tizona was killed',
    async () => {
      await open()
      const records = join(folder.root, '.records')
      const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
      const stays = `require('fs').writeFileSync('server.pid', String(process.pid)); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000)`
      const killed = spawn(
        process.execPath,
        [
          '--input-type=module',
          '--no-warnings',
          '-e',
          `
      const { createJobs } = await import(${module('../command/jobs.ts')})
      const { createStdioTransport } = await import(${module('stdioTransport.ts')})
      const jobs = createJobs({ workspaceRoot: ${JSON.stringify(folder.root)}, records: ${JSON.stringify(records)}, onChanged() {}, onOutput() {} })
      await createStdioTransport({
        definition: { type: 'stdio', command: process.execPath, args: ['-e', ${JSON.stringify(stays)}], env: {} },
        cwd: ${JSON.stringify(folder.root)}, log: { say() {}, write() {} }, processes: jobs.companions,
      }).start()
      setInterval(() => {}, 1000)
    `,
        ],
        { stdio: 'ignore' },
      )
      const pid = await vi.waitFor(
        async () => {
          const read = Number(await readFile(join(folder.root, 'server.pid'), 'utf8'))
          expect(read).toBeGreaterThan(0)
          return read
        },
        { timeout: 20_000 },
      )
      killed.kill('SIGKILL')
      await once(killed, 'exit')
      expect(await isAlive(pid)).toBe(true)
      await createJobs({
        workspaceRoot: folder.root,
        graceMs: 500,
        records,
        onChanged: () => undefined,
        onOutput: () => undefined,
      }).dispose()
      expect(await isAlive(pid)).toBe(false)
    },
  )

  it('ends when it is switched off or removed, and starts anew when it is changed', async () => {
    own(server('child'))
    await open()
    const pid = Number(await readFile(join(folder.root, 'child.pid'), 'utf8'))
    settings = mcpSettingsSchema.parse({ ...settings, choices: { 'user:fixture': { off: true } } })
    await mcp.refresh()
    expect([await isAlive(pid), only().state, mcp.tools()]).toEqual([false, 'off', []])
    settings = mcpSettingsSchema.parse({ servers: { fixture: server('garbage') } })
    await mcp.refresh()
    await mcp.ready(signal)
    expect(only()).toMatchObject({ state: 'connected', definition: { args: [fixture, 'garbage'] } })
  })
})

describe('the choices of the user', () => {
  it('lower the risk of a tool as long as it is described as it was, and switch it off', async () => {
    own(server())
    await open()
    const shout = only().tools.find(({ tool }) => tool === 'shout')
    const choose = async (fingerprint: string) => {
      settings = mcpSettingsSchema.parse({
        ...settings,
        choices: { 'user:fixture': { tools: { shout: { risk: 'read', fingerprint }, fail: { off: true } } } },
      })
      await mcp.refresh()
      return mcp.tools().find(({ name }) => name === 'fixture__shout')?.risk
    }
    expect(await choose(shout?.fingerprint ?? '')).toBe('read')
    expect(await choose('of another description')).toBe('execute')
    expect(mcp.tools().find(({ name }) => name === 'fixture__fail')?.off).toBe(true)
  })
})

describe('a server over HTTP', () => {
  const site = async (kind: Parameters<typeof startHttpFixture>[0]) => {
    const started = await startHttpFixture(kind)
    sites.push(started)
    return started
  }

  it.each(['streamable', 'sse'] as const)('is called over %s', async (kind) => {
    own({ url: (await site(kind)).url })
    await open()
    expect(only().state).toBe('connected')
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
    expect(mcp.tools().find(({ name }) => name === 'fixture__shout')?.risk).toBe('network')
  })

  it.each(['streamable', 'sse', 'json'] as const)(
    'stays connected over %s when an answer is longer than 10 MB',
    async (kind) => {
      own({ url: (await site(kind)).url })
      await open()
      await expect(call('fixture__enormous')).rejects.toMatchObject({
        code: 'too_large',
        message: expect.stringContaining('more than 10 MB'),
      })
      expect(await call('fixture__shout', { text: 'still' })).toMatchObject({ text: 'STILL' })
      expect(only().log.filter((line) => line.includes('message of more than'))).toHaveLength(1)
    },
  )

  it('gets its headers with a stored secret, and is explained when it wants one', async () => {
    const { url, authorizations } = await site('key')
    own({ url })
    await open()
    expect(only()).toMatchObject({ state: 'failed', problem: expect.stringContaining('refused the request (401)') })
    secrets.set(secretId({ origin: 'user', name: 'fixture' }, '', 'token'), 's3cret')
    own({ url, headers: { Authorization: 'Bearer ${input:token}' } })
    await mcp.refresh()
    await mcp.ready(signal)
    expect(only()).toMatchObject({ state: 'connected', inputs: [{ name: 'token', stored: true }] })
    expect(authorizations.at(-1)).toBe('Bearer s3cret')
  })

  it('is connected anew when it lost the session', async () => {
    const started = await site('streamable')
    own({ url: started.url })
    await open()
    started.forget()
    await expect(call('fixture__shout', { text: 'a' })).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('our session'),
    })
    await vi.waitFor(
      async () => expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' }),
      10_000,
    )
  })

  it('is tried again where nobody answers', async () => {
    const started = await site('streamable')
    await started.close()
    own({ url: started.url })
    await open()
    await vi.waitFor(
      () =>
        expect(only()).toMatchObject({
          state: 'failed',
          problem: 'The server is not reached. Start it, or check the address.',
        }),
      10_000,
    )
    expect(only().log.filter((line) => line.startsWith('The server is not reached'))).toHaveLength(3)
  })

  it('is not followed to another address', async () => {
    own({ url: (await site('redirect')).url })
    await open()
    expect(only()).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('redirect, which is not followed'),
    })
  })

  it.each(['html', 'flood'] as const)('that answers with %s fails in words', async (kind) => {
    own({ url: (await site(kind)).url })
    await open({ times: { ...quick, retries: [] } })
    expect(only().state).toBe('failed')
    expect(`${only().problem} ${only().log.join(' ')}`).toMatch(
      kind === 'html' ? /content type: text\/html/ : /more than 268435456 bytes/,
    )
  })
})

describe('a server that the workspace names', () => {
  it('is not started before it is trusted, and not after it is refused', async () => {
    await workspaceFile({ tools: server('child') })
    await open()
    expect(only()).toMatchObject({ state: 'untrusted', origin: 'workspace', file: '.mcp.json', log: [] })
    expect(mcp.tools()).toEqual([])
    await mcp.decideTrust(only().key, false)
    await mcp.dispose()
    await open()
    expect(only().state).toBe('refused')
    await expect(readFile(join(folder.root, 'child.pid'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('starts once it is trusted, and from then on with the folder', async () => {
    await workspaceFile({ tools: server() })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.ready(signal)
    expect(await call('tools__shout', { text: 'a' })).toMatchObject({ text: 'A' })
    await mcp.dispose()
    await open()
    expect(only().state).toBe('connected')
    expect(latest?.servers[0]?.state).toBe('connected')
  })

  it.each([
    ['an argument', { ...server(), args: [fixture, 'plain', '--more'] }],
    ['the environment', { ...server(), env: { A: '1' } }],
    ['the way to it', { url: 'http://127.0.0.1:1/' }],
  ])('ends and is asked again when %s changes', async (_what, changed) => {
    await workspaceFile({ tools: server() })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.ready(signal)
    const { key } = only()
    await workspaceFile({ tools: changed })
    await mcp.refresh()
    expect(only()).toMatchObject({ state: 'untrusted', before: server() })
    expect(mcp.tools()).toEqual([])
    await expect(mcp.decideTrust(key, true)).rejects.toMatchObject({ code: 'conflict' })
    expect(only().state).toBe('untrusted')
  })

  it('is the same in whatever order it is written, and whatever else is written beside it', async () => {
    await workspaceFile({ tools: { command: process.execPath, args: [fixture, 'plain'], env: { A: '1', B: '2' } } })
    await open()
    await mcp.decideTrust(only().key, true)
    await workspaceFile({
      tools: {
        disabled: true,
        type: 'stdio',
        env: { B: '2', A: '1' },
        args: [fixture, 'plain'],
        command: process.execPath,
      },
    })
    await mcp.refresh()
    await mcp.ready(signal)
    expect(only().state).toBe('connected')
  })

  it('is trusted in its folder by whatever link it is opened, and in no other folder', async () => {
    await workspaceFile({ tools: server() })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.dispose()
    const elsewhere = await temporaryFolder({ '.mcp.json': JSON.stringify({ mcpServers: { tools: server() } }) })
    try {
      const link = join(elsewhere.root, 'link')
      await symlink(folder.root, link)
      await open({}, link)
      expect(only().state).toBe('connected')
      await mcp.dispose()
      await open({}, elsewhere.root)
      expect(only().state).toBe('untrusted')
    } finally {
      await elsewhere.remove()
    }
  })

  it('gets no secret of a server of the same name that the user set up', async () => {
    secrets.set(secretId({ origin: 'user', name: 'tools' }, '', 'token'), 's3cret')
    await workspaceFile({ tools: { ...server(), env: { KEY: '${input:token}' } } })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.ready(signal)
    expect(only()).toMatchObject({ state: 'failed', inputs: [{ name: 'token', stored: false }] })
  })

  it('runs without a question where the command line trusts it, except when it was refused', async () => {
    await workspaceFile({ tools: server() })
    await open({ trustAll: true })
    expect(only().state).toBe('connected')
    await mcp.decideTrust(only().key, false)
    await mcp.dispose()
    await open({ trustAll: true })
    expect(only().state).toBe('refused')
  })

  it("is taken from Tizona's own file first", async () => {
    await mkdir(join(folder.root, '.tizona'))
    await workspaceFile({ tools: server('dies'), other: server('dies') })
    await workspaceFile({ tools: server() }, '.tizona/mcp.json')
    await open()
    expect(mcp.state().servers.map(({ name, file }) => [name, file])).toEqual([
      ['other', '.mcp.json'],
      ['tools', '.tizona/mcp.json'],
    ])
  })

  it('stays out, with the reason, where it is not well formed; the others stay', async () => {
    await workspaceFile({
      broken: { arguments: [] },
      worse: { command: 'x', args: 'not a list' },
      far: { url: 'ftp://x' },
      good: server(),
    })
    await open()
    expect(mcp.state().servers.map(({ name }) => name)).toEqual(['good'])
    expect(mcp.state().problems).toEqual([
      '.mcp.json: the server "broken" is left out. It names neither a "command" nor a "url".',
      '.mcp.json: the server "worse" is left out. "args" Invalid input: expected array, received string.',
      '.mcp.json: the server "far" is left out. "url" is not an http or https address without user name and placeholders.',
    ])
  })

  it('is not read through a link out of the folder, and half a file is said to be one', async () => {
    const outside = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers: { tools: server() } }) })
    try {
      await symlink(join(outside.root, 'mcp.json'), join(folder.root, '.mcp.json'))
      await open()
      expect(mcp.state()).toMatchObject({ servers: [], problems: [expect.stringContaining('outside the workspace')] })
    } finally {
      await outside.remove()
    }
  })
})
