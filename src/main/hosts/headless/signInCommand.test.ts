import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startOAuthFixture, type OAuthFixture } from '../../mcp/testing/oauthFixture.ts'
import { runCommand } from './commandDispatch.ts'

let home: string
let workspace: string
let remote: OAuthFixture
let lines: string[]
let errors: string[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-login-'))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  remote = await startOAuthFixture()
  await writeFile(join(workspace, '.mcp.json'), JSON.stringify({ mcpServers: { remote: { url: remote.url } } }))
  lines = []
  errors = []
  vi.spyOn(console, 'error').mockImplementation((text: string) => {
    errors.push(text)
    // The user opens the printed address.
    const page = /^http\S+$/m.exec(text)?.[0]
    if (page !== undefined) void remote.browse(page)
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await remote.close()
  await rm(home, { recursive: true, force: true })
})

const run = (...args: string[]) =>
  runCommand([...args, '--workspace', workspace, '--trust'], {
    userData: join(home, 'user'),
    output: {
      line: (text) => void lines.push(text),
      json: (value) => void lines.push(JSON.stringify(value)),
      write: (text) => void lines.push(text),
      flush: async () => undefined,
      closed: new AbortController().signal,
    },
  })

it('signs in with the printed address, then calls the server, then signs out', async () => {
  expect(await run('call', 'remote__shout', '{"text":"a"}', '--mode', 'yolo')).toBe(1)
  expect(errors.join('\n')).toContain('tizona mcp login')

  expect(await run('mcp', 'login', 'remote')).toBe(0)
  expect(errors.join('\n')).toContain(`Signing in for ${new URL(remote.url).host} at ${new URL(remote.issuer).host}.`)
  const file = join(home, 'user', 'secrets.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  expect(await run('call', 'remote__shout', '{"text":"a"}', '--mode', 'yolo')).toBe(0)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ok: true, text: expect.stringContaining('A') })

  expect(await run('mcp', 'logout', 'remote')).toBe(0)
  expect(await readFile(file, 'utf8')).not.toContain('access-')
})

it('names the servers that exist', async () => {
  expect(await run('mcp', 'login', 'other')).toBe(1)
  expect(errors.at(-1)).toBe('There is no MCP server named "other". Use one of: remote.')
})
