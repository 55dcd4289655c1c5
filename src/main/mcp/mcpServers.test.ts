import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mcpSettingsSchema, type McpServerStatus, type McpSettings, type McpState } from '../../shared/tools/mcp.ts'
import { createJobs } from '../command/jobs.ts'
import { endTree, jobVariable, statFields } from '../command/processTree.ts'
import { createTrustStore, type TrustStore } from '../settings/trustStore.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { createWorkspaceHash } from '../workspaceServices/hashWorkspaceFile.ts'
import { createMcp, type Mcp, type McpDeps } from './mcpServers.ts'
import { secretId } from './serverEntries.ts'
import { startHttpFixture, type HttpFixture } from './testing/httpFixture.ts'

const fixture = fileURLToPath(new URL('testing/fixtureServer.ts', import.meta.url))
const signal = new AbortController().signal
const quick = { start: 20_000, call: 20_000, callTotal: 20_000, retries: [1, 1], stableAfter: 60_000 }

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

/** Opens the folder through `path`, and starts servers that are allowed to start. */
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
    hashFile: createWorkspaceHash(workspace),
    settings: () => settings,
    trust,
    trustAll: false,
    folderTrusted: () => true,
    secret: async (id) => secrets.get(id),
    setSecret: async (id, value) => void (value === null ? secrets.delete(id) : secrets.set(id, value)),
    environment: { TOKEN: 't0ken' },
    processes: {
      variable: jobVariable,
      begin: async () => `mcp-${randomUUID()}`,
      started: () => undefined,
      end: async (root, jobTag) => void (await endTree({ root, jobTag }, { signal: 'SIGTERM', graceMs: 2000 })),
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
/** Whether the process runs. A zombie (Z in /proc) counts as ended. */
const isAlive = async (pid: number) => {
  const state = (await statFields(pid))?.[0]
  return state !== undefined && state !== 'Z'
}

describe('a server over standard input and output', () => {
  it("runs outside the workspace if it is the user's own, and inside if the workspace defines it", async () => {
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

  it('lists sanitized tools by name, with a risk that hints can only raise', async () => {
    own(server())
    await open()
    expect(only()).toMatchObject({ state: 'connected', key: 'user:fixture', origin: 'user' })
    const names = mcp.tools().map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
    expect(names).toContain('fixture__odd_name_')
    const risk = (name: string) => mcp.tools().find((tool) => tool.name === `fixture__${name}`)?.risk
    expect([risk('shout'), risk('erase'), risk('fail')]).toEqual(['execute', 'destructive', 'execute'])
    expect(mcp.tools().find(({ name }) => name === 'fixture__shout')?.description).toBe('Repeats a text loudly.')
    expect(only().tools.find(({ tool }) => tool === 'shout')?.description).toBe('Repeats a text\u202e loudly.\u0007')
    expect(only().log).toContain('started with plain')
  })

  it('runs in the workspace without a shell, with a minimal environment', async () => {
    // Only variables named in the definition are passed on, and never the keys of models and cloud services.
    const hidden = ['TIZONA_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN']
    for (const name of hidden) vi.stubEnv(name, 'not for servers')
    own({
      command: process.execPath,
      args: [fixture, '${workspaceFolder}', '$(touch x)', '${MISSING:-otherwise}'],
      env: { KEY: '${env:TOKEN}', STORED: '${input:pass word}' },
    })
    secrets.set(secretId({ origin: 'user', name: 'fixture' }, '', 'pass word'), 's3cret')
    await open()
    vi.unstubAllEnvs()
    const { text } = await call('fixture__environment')
    const told: unknown = JSON.parse(text)
    expect(told).toMatchObject({
      folder: folder.root,
      arguments: [folder.root, '$(touch x)', 'otherwise'],
      environment: { KEY: 't0ken', STORED: 's3cret', PATH: process.env.PATH },
    })
    expect(text).not.toContain('not for servers')
    for (const name of hidden) expect(text).not.toContain(name)
    expect(JSON.stringify(mcp.state())).not.toMatch(/s3cret|t0ken/)
  })

  it.each([
    ['${env:NOWHERE}', 'NOWHERE is not set'],
    ['${input:token}', '"token" is not stored'],
  ])('names the missing value of %s and does not start', async (value, words) => {
    own({ ...server(), env: { KEY: value } })
    await open()
    expect(only().state).toBe('failed')
    expect(only().problem).toContain(words)
    expect(only().log).not.toContain('started with plain')
  })

  it("returns text, JSON and images, and the server's error message", async () => {
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

  it('truncates a response of millions of characters', async () => {
    own(server())
    await open()
    const { text } = await call('fixture__huge')
    expect(text.length).toBeLessThan(1_000_200)
    expect(text).toContain('The server responded with 3,000,000 characters')
  })

  it('fails only the call if a response exceeds 10 MB', async () => {
    own(server())
    await open()
    const waiting = call('fixture__hang', {}, { signal: AbortSignal.timeout(60_000) }).catch((error: unknown) => error)
    await expect(call('fixture__enormous')).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/"fixture" responded with more than 10 MB/),
    })
    const { text } = await call('fixture__environment')
    expect(JSON.parse(text)).toMatchObject({ cancelled: 0 })
    expect(only()).toMatchObject({ state: 'connected' })
    expect(only().log.filter((line) => line.includes('started with'))).toHaveLength(1)
    await mcp.dispose()
    await waiting
  })

  it('forwards progress, and cancels calls on the server', async () => {
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

  it('times out a call without progress, and the next one works', async () => {
    own(server())
    await open({ times: { ...quick, call: 300 } })
    await expect(call('fixture__hang')).rejects.toMatchObject({ code: 'timeout' })
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
  })

  it('reports that a server exited during a call, and restarts it', async () => {
    own(server())
    await open()
    await expect(call('fixture__exit')).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('exited before it responded'),
    })
    await vi.waitFor(() => expect(only().state).toBe('connected'), 15_000)
    expect(only().log).toContain('The server exited with code 7.')
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
  })

  it('rejects sampling, roots and input requests, and continues', async () => {
    own(server())
    await open()
    expect(await call('fixture__ask')).toMatchObject({ text: 'rejected rejected rejected' })
  })

  it('updates its tools when the server reports a change', async () => {
    own(server())
    await open()
    const before = mcp.tools().length
    await call('fixture__grow')
    await vi.waitFor(() => expect(mcp.tools()).toHaveLength(before + 1))
    expect(mcp.tools().map(({ name }) => name)).toContain(`fixture__extra${before}`)
  })

  it('offers prompts and resources with visible names, and updates them', async () => {
    own(server())
    await open()
    expect(only().prompts).toEqual([
      {
        command: 'fixture__review',
        name: 'review',
        description: 'Reviews.',
        arguments: [
          { name: 'file', description: '', required: true },
          { name: 'focus', description: '', required: false },
        ],
      },
      { command: 'fixture__plain', name: 'plain', description: '', arguments: [] },
      { command: 'fixture__empty', name: 'empty', description: '', arguments: [] },
    ])
    expect(only().resources).toEqual([
      { uri: 'guide://start', name: 'Start', description: 'How to begin.', template: false },
      { uri: 'guide://picture', name: 'Picture', description: '', template: false },
      { uri: 'guide://page/{number}', name: 'Page', description: '', template: true },
    ])
    await call('fixture__grow')
    await vi.waitFor(() => expect(only().resources?.map(({ name }) => name)).toContain('More'))
  })

  it('returns the text of prompts and resources', async () => {
    own(server())
    await open()
    const prompt = (command: string, args = {}) => mcp.content.prompt(`fixture__${command}`, args, signal)
    expect(await prompt('review', { file: 'a.ts' })).toBe(
      'Review a.ts.\n\nAssistant: I will.\n\n[image, image/png, left out]\n\n[guide://start]\nBegin.',
    )
    await expect(prompt('review')).rejects.toMatchObject({
      code: 'invalid_arguments',
      next: 'Write /fixture__review file="…" focus="…"',
    })
    await expect(prompt('empty')).rejects.toThrow('is empty')
    await expect(prompt('gone')).rejects.toMatchObject({ code: 'not_found' })

    const resource = (uri: string, name = 'fixture') => mcp.content.resource(name, uri, signal)
    expect(await resource('guide://page/7')).toEqual({ text: 'Page guide://page/7', pictures: [] })
    expect((await resource('guide://long')).text).toMatch(/x\n\[100,000 more characters left out\]$/)
    await expect(resource('file:///etc/passwd')).rejects.toThrow('No page file:///etc/passwd.')
    await expect(resource('guide://start', 'other')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('returns pictures of resources, and names the type and size of other binary ones', async () => {
    own(server())
    await open()
    const resource = (uri: string) => mcp.content.resource('fixture', uri, signal)
    expect(await resource('guide://picture')).toEqual({
      text: expect.stringMatching(/^\[A picture: image\/png, \d+ bytes\.\]$/),
      pictures: [{ mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) }],
    })
    const mixed = await resource('guide://mixed')
    expect(mixed.pictures).toHaveLength(8)
    expect(mixed.text).toMatch(/^Words\.\n\n\[Not text: image\/svg\+xml, \d+ bytes\.\]\n\n\[A picture: /)
    await expect(resource('guide://archive')).rejects.toMatchObject({
      code: 'binary_file',
      message: expect.stringMatching(/neither text nor an image .*application\/zip, \d+ bytes/),
    })
    await expect(resource('guide://huge')).rejects.toThrow('image/png, 4395 KB')
    await expect(resource('guide://nothing')).rejects.toThrow('is empty')
  })

  it('retries a server that exits immediately, and then shows its last log lines', async () => {
    own(server('dies'))
    await open()
    await vi.waitFor(() => expect(only().state).toBe('failed'), 15_000)
    expect(only().log.filter((line) => line === 'cannot go on: no disk')).toHaveLength(3)
    expect(only().problem).toBe('The server exited before it was ready.')
  })

  it('connects on the second attempt', async () => {
    own(server('diesOnce'))
    await open()
    await vi.waitFor(() => expect(only().state).toBe('connected'), 15_000)
    expect(only().problem).toBeUndefined()
  })

  it('is not retried if its program does not exist', async () => {
    own({ command: 'no-such-program-anywhere' })
    await open()
    expect(only()).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('"no-such-program-anywhere" was not found'),
    })
  })

  it('fails if it never responds', async () => {
    own(server('silent'))
    await open({ times: { ...quick, start: 300, retries: [] } })
    expect(only()).toMatchObject({ state: 'failed', problem: 'The server did not become ready in time.' })
  })

  it('is ended if it writes an endless line', async () => {
    own(server('flood'))
    await open({ times: { ...quick, retries: [] } })
    expect(only().state).toBe('failed')
    expect(only().log.join('\n')).toContain('a message of more than 268435456 bytes')
  })

  it('works if it prints other lines to standard output', async () => {
    own(server('garbage'))
    await open()
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
    expect(only().log.join('\n')).toContain('is not an MCP message and was ignored')
  })

  it('ends its child processes', async () => {
    own(server('child'))
    await open()
    const pid = Number(await readFile(join(folder.root, 'child.pid'), 'utf8'))
    expect(await isAlive(pid)).toBe(true)
    await mcp.dispose()
    expect(await isAlive(pid)).toBe(false)
  })

  it.runIf(process.platform === 'linux')(
    'is ended with its child processes at the next start after Tizona was killed',
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
        cwd: ${JSON.stringify(folder.root)}, log: { say() {}, write() {} }, processes: jobs.processTracking,
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

  it('stops when disabled or removed, and restarts when changed', async () => {
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

describe("the user's choices", () => {
  it('lower the risk of an unchanged tool, and disable it', async () => {
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

  it.each(['streamable', 'sse'] as const)('calls tools over %s', async (kind) => {
    own({ url: (await site(kind)).url })
    await open()
    expect(only().state).toBe('connected')
    expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' })
    expect(mcp.tools().find(({ name }) => name === 'fixture__shout')?.risk).toBe('network')
  })

  it.each(['streamable', 'sse', 'json'] as const)(
    'stays connected over %s if a response exceeds 10 MB',
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

  it('receives headers with a stored secret, and explains a missing one', async () => {
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

  it('reconnects after the server lost the session', async () => {
    const started = await site('streamable')
    own({ url: started.url })
    await open()
    started.forget()
    await expect(call('fixture__shout', { text: 'a' })).rejects.toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('the session'),
    })
    await vi.waitFor(
      async () => expect(await call('fixture__shout', { text: 'a' })).toMatchObject({ text: 'A' }),
      10_000,
    )
  })

  it('retries if the server is unreachable', async () => {
    const started = await site('streamable')
    await started.close()
    own({ url: started.url })
    await open()
    await vi.waitFor(
      () =>
        expect(only()).toMatchObject({
          state: 'failed',
          problem: 'The server is unreachable. Start it, or check the address.',
        }),
      10_000,
    )
    expect(only().log.filter((line) => line.startsWith('The server is unreachable'))).toHaveLength(3)
  })

  it('does not follow redirects', async () => {
    own({ url: (await site('redirect')).url })
    await open()
    expect(only()).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('redirect, which is not followed'),
    })
  })

  it.each(['html', 'flood'] as const)('fails with a clear error if it responds with %s', async (kind) => {
    own({ url: (await site(kind)).url })
    await open({ times: { ...quick, retries: [] } })
    expect(only().state).toBe('failed')
    expect(`${only().problem} ${only().log.join(' ')}`).toMatch(
      kind === 'html' ? /content type: text\/html/ : /more than 268435456 bytes/,
    )
  })
})

describe('a server defined in the workspace', () => {
  it('does not start before it is trusted or after it is refused', async () => {
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

  it('starts when trusted, and then whenever the folder is opened', async () => {
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
    ['its transport', { url: 'http://127.0.0.1:1/' }],
  ])('stops and needs trust again if %s changes', async (_what, changed) => {
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

  it('stays trusted if keys are reordered or other servers are added', async () => {
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

  it('is trusted in its folder, even opened through a link, and in no other folder', async () => {
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

  it("does not receive secrets of the user's own server of the same name", async () => {
    secrets.set(secretId({ origin: 'user', name: 'tools' }, '', 'token'), 's3cret')
    await workspaceFile({ tools: { ...server(), env: { KEY: '${input:token}' } } })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.ready(signal)
    expect(only()).toMatchObject({ state: 'failed', inputs: [{ name: 'token', stored: false }] })
  })

  it('runs without trust decision if the command line trusts all servers, unless refused', async () => {
    await workspaceFile({ tools: server() })
    await open({ trustAll: true })
    expect(only().state).toBe('connected')
    await mcp.decideTrust(only().key, false)
    await mcp.dispose()
    await open({ trustAll: true })
    expect(only().state).toBe('refused')
  })

  it('is read from .tizona/mcp.json first', async () => {
    await mkdir(join(folder.root, '.tizona'))
    await workspaceFile({ tools: server('dies'), other: server('dies') })
    await workspaceFile({ tools: server() }, '.tizona/mcp.json')
    await open()
    expect(mcp.state().servers.map(({ name, file }) => [name, file])).toEqual([
      ['other', '.mcp.json'],
      ['tools', '.tizona/mcp.json'],
    ])
  })

  it('is ignored with a reason if it is invalid, unlike the others', async () => {
    await workspaceFile({
      broken: { arguments: [] },
      worse: { command: 'x', args: 'not a list' },
      far: { url: 'ftp://x' },
      good: server(),
    })
    await open()
    expect(mcp.state().servers.map(({ name }) => name)).toEqual(['good'])
    expect(mcp.state().problems).toEqual([
      '.mcp.json: the server "broken" is ignored. It has neither a "command" nor a "url".',
      '.mcp.json: the server "worse" is ignored. "args": Invalid input: expected array, received string.',
      '.mcp.json: the server "far" is ignored. "url": Not an http or https URL, or it contains credentials or placeholders.',
    ])
  })

  it('is not read through a link outside the folder, and a truncated file is reported', async () => {
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

describe('trust in a server of the folder covers its program', () => {
  const program = `import { writeFileSync } from 'node:fs'; writeFileSync('server.pid', String(process.pid)); process.argv[2] = 'plain'; await import(${JSON.stringify(fixture)})\n`
  const local = (args: string[]) => ({ type: 'stdio' as const, command: process.execPath, args, env: {} })

  async function trusted(args: string[]): Promise<McpServerStatus> {
    await writeFile(join(folder.root, 'server.mjs'), program)
    await workspaceFile({ local: local(args) })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.ready(signal)
    return only()
  }

  it.each([
    ['server.mjs'],
    ['./server.mjs'],
    ['${workspaceFolder}/server.mjs'],
    ['--import=./server.mjs', 'server.mjs'],
  ])('a change of %s requires a new decision, and names the file', async (...args) => {
    expect((await trusted(args)).state).toBe('connected')
    await writeFile(join(folder.root, 'server.mjs'), `${program}// changed\n`)
    expect(mcp.startsFile('server.mjs')).toBe(true)
    await mcp.refresh()
    expect(only()).toMatchObject({ state: 'untrusted', changedFiles: ['server.mjs'] })
    expect(mcp.tools()).toEqual([])
    await mcp.decideTrust(only().key, true)
    await mcp.ready(signal)
    expect(only().state).toBe('connected')
    expect(only().changedFiles).toBeUndefined()
  })

  it('holds in a later session', async () => {
    await trusted(['server.mjs'])
    await mcp.dispose()
    await open()
    expect(only().state).toBe('connected')
    await mcp.dispose()
    await writeFile(join(folder.root, 'server.mjs'), '// other\n')
    await open()
    expect(only().state).toBe('untrusted')
  })

  it('a restart after a crash does not start a changed program', async () => {
    await trusted(['server.mjs'])
    const marker = join(folder.root, 'ran')
    await writeFile(
      join(folder.root, 'server.mjs'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, '')`,
    )
    process.kill(Number(await readFile(join(folder.root, 'server.pid'), 'utf8')), 'SIGKILL')
    await expect.poll(() => only().state).toBe('untrusted')
    expect(await readSmallFile(marker)).toBeNull()
  })

  it('a decision of an earlier version, which stored no programs, stays valid until a change', async () => {
    await writeFile(join(folder.root, 'server.mjs'), program)
    await workspaceFile({ local: local(['server.mjs']) })
    await open()
    await mcp.decideTrust(only().key, true)
    await mcp.dispose()
    const file = join(folder.root, '.data', 'trust.json')
    const records = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>[]
    await writeFile(file, JSON.stringify(records.map((record) => ({ ...record, programs: undefined }))))
    trust = await createTrustStore(join(folder.root, '.data'), () => undefined)
    await open()
    expect(only().state).toBe('connected')
    await writeFile(join(folder.root, 'server.mjs'), `${program}// changed\n`)
    await mcp.refresh()
    expect(only().state).toBe('untrusted')
  })
})
