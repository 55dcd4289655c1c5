import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mcpSettingsSchema, type McpServerStatus, type McpSettings } from '../../../shared/tools/mcp.ts'
import { createTrustStore } from '../../settings/trustStore.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createMcp, type Mcp } from '../mcpServers.ts'
import type { Credentials } from './credentials.ts'
import { startOAuthFixture, type OAuthBehavior, type OAuthFixture } from '../testing/oauthFixture.ts'

const signal = new AbortController().signal
const key = 'user:remote'
const times = { start: 20_000, call: 20_000, callTotal: 20_000, retries: [1], stableAfter: 60_000 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let secrets: Map<string, string>
let settings: McpSettings
let remote: OAuthFixture
const open: Mcp[] = []

beforeEach(async () => {
  folder = await temporaryFolder()
  secrets = new Map()
})
afterEach(async () => {
  for (const mcp of open.splice(0)) await mcp.dispose()
  await remote.close()
  await folder.remove()
})

/** Opens a folder in a window, with one server that requires a sign-in. */
async function start(behavior: OAuthBehavior = {}, oauth?: object): Promise<Mcp> {
  remote = await startOAuthFixture(behavior)
  settings = mcpSettingsSchema.parse({ servers: { remote: { url: remote.url, oauth } } })
  return openWindow()
}

async function openWindow(): Promise<Mcp> {
  const mcp = createMcp({
    workspace: folder.root,
    home: folder.root,
    version: '1',
    readText: async () => null,
    hashFile: async () => null,
    settings: () => settings,
    trust: await createTrustStore(join(folder.root, '.data'), () => undefined),
    trustAll: false,
    folderTrusted: () => true,
    secret: async (id) => secrets.get(id),
    setSecret: async (id, value) => void (value === null ? secrets.delete(id) : secrets.set(id, value)),
    environment: {},
    processes: {
      variable: 'JOB',
      begin: async () => '',
      started: () => undefined,
      end: async () => undefined,
    },
    onChanged: () => undefined,
    times,
  })
  open.push(mcp)
  await mcp.refresh()
  await mcp.ready(signal)
  return mcp
}

const status = (mcp: Mcp): McpServerStatus => {
  const [server] = mcp.state().servers
  if (!server) throw new Error('no server')
  return server
}
const host = () => new URL(remote.issuer).host
const pages: { status: number; text: string }[] = []
const signIn = async (mcp: Mcp, onPage?: (page: string) => Promise<void>) => {
  pages.length = 0
  await mcp.signIns.signIn(key, host(), onPage ?? (async (page) => void pages.push(await remote.browse(page))), signal)
  await mcp.ready(signal)
}
const shout = (mcp: Mcp) =>
  mcp
    .tools()
    .find(({ tool }) => tool === 'shout')
    ?.call({ text: 'a' }, { signal, progress: () => undefined })

it('signs in with PKCE for this server only, keeps the tokens as a secret, and connects', async () => {
  const mcp = await start()
  expect(status(mcp)).toMatchObject({ state: 'failed', signIn: { state: 'required' } })
  expect(status(mcp).problem).toContain('tizona mcp login')
  expect(await mcp.signIns.find(key, signal)).toEqual({
    host: host(),
    server: new URL(remote.url).host,
    scopes: ['tools', 'files'],
  })
  expect(remote.registrations).toEqual([])

  await signIn(mcp, async (page) => {
    const query = new URL(page).searchParams
    expect(query.get('code_challenge_method')).toBe('S256')
    expect(query.get('resource')).toBe(remote.url)
    expect(query.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(status(mcp).signIn).toEqual({ state: 'waiting', page })
    pages.push(await remote.browse(page))
  })
  expect(pages).toEqual([{ status: 200, text: 'Tizona received the response. You can close this tab.' }])
  expect(status(mcp)).toMatchObject({ state: 'connected', signIn: { state: 'signedIn' } })
  expect(await shout(mcp)).toMatchObject({ text: 'A' })
  expect(remote.tokenRequests).toMatchObject([{ grant_type: 'authorization_code', resource: remote.url }])
  expect([...secrets.values()].join()).toContain('access-1')
  expect(JSON.stringify([mcp.state(), settings])).not.toMatch(/access-1|refresh-1/)
  // Another window finds the user signed in.
  expect(status(await openWindow())).toMatchObject({ state: 'connected' })
})

describe('a sign-in that deviates', () => {
  it.each<[string, OAuthBehavior, RegExp]>([
    ['another issuer', { redirect: { iss: 'https://evil.example' } }, /It comes from another issuer/],
    [
      'no issuer, where one is promised',
      { redirect: { iss: null }, metadata: { authorization_response_iss_parameter_supported: true } },
      /does not name its issuer/,
    ],
    ['no code', { redirect: { code: null } }, /It has no code/],
    [
      'a refusal',
      { redirect: { code: null, error: 'access_denied', error_description: 'Not\u202e you.' } },
      /The sign-in was refused: Not you\./,
    ],
    [
      'a failing token endpoint',
      { codeStatus: 500 },
      /The sign-in failed\. 127\.0\.0\.1:\d+ responded with status 500\./,
    ],
    ['a refused registration', { registration: 'refused' }, /refused it \(invalid_client_metadata: No programs\.\)/],
    ['a redirected registration', { registration: 'redirect' }, /responded with a redirect, which is not followed/],
  ])('is refused: %s', async (_name, behavior, message) => {
    const mcp = await start(behavior)
    await expect(signIn(mcp)).rejects.toMatchObject({ name: 'ToolError', message: expect.stringMatching(message) })
    expect(secrets.size).toBe(0)
    expect(status(mcp).signIn).toEqual({ state: 'required' })
  })

  it.each<[string, OAuthBehavior, RegExp]>([
    [
      'a sign-in page without TLS on another machine',
      { metadata: { authorization_endpoint: 'http://auth.example/authorize' } },
      /insecure address for the sign-in page/,
    ],
    [
      'a token endpoint without TLS on another machine',
      { metadata: { token_endpoint: 'http://auth.example/token' } },
      /insecure address for requesting tokens/,
    ],
    [
      'metadata of another issuer',
      { metadata: { issuer: 'https://evil.example' } },
      /claims to be https:\/\/evil\.example/,
    ],
    ['no PKCE', { metadata: { code_challenge_methods_supported: ['plain'] } }, /does not support PKCE/],
    ['the description of another server', { resource: 'https://other.example/mcp' }, /describes another server/],
    ['a description elsewhere', { describedAt: 'https://other.example/x' }, /refers to other\.example/],
    ['no registration of programs', { metadata: { registration_endpoint: undefined } }, /does not let Tizona register/],
  ])('opens no page: %s', async (_name, behavior, message) => {
    const mcp = await start(behavior)
    const shown: string[] = []
    await expect(signIn(mcp, async (page) => void shown.push(page))).rejects.toThrow(message)
    expect(shown).toEqual([])
    expect(secrets.size).toBe(0)
  })

  it('opens no page at a host that the user has not seen', async () => {
    const mcp = await start()
    const shown: string[] = []
    const done = mcp.signIns.signIn(key, 'auth.example', (page) => void shown.push(page), signal)
    await expect(done).rejects.toMatchObject({ code: 'refused' })
    expect(shown).toEqual([])
  })

  it.each<[string, OAuthBehavior]>([
    ['another state', { redirect: { state: 'theirs' } }],
    ['no state', { redirect: { state: null } }],
  ])('a response with %s does not end it', async (_name, behavior) => {
    const mcp = await start(behavior)
    await signIn(mcp, async (page) => {
      expect(await remote.browse(page)).toEqual({
        status: 400,
        text: 'This response does not belong to a pending sign-in.',
      })
      expect(status(mcp).signIn).toEqual({ state: 'waiting', page })
      delete behavior.redirect
      pages.push(await remote.browse(page))
    })
    expect(status(mcp)).toMatchObject({ state: 'connected', signIn: { state: 'signedIn' } })
  })

  it('ignores requests that are no redirect, and can be cancelled', async () => {
    const mcp = await start()
    const done = signIn(mcp, async (page) => {
      const redirect = new URL(new URL(page).searchParams.get('redirect_uri') ?? '')
      expect((await fetch(new URL('/favicon.ico', redirect))).status).toBe(404)
      expect((await fetch(redirect, { method: 'POST' })).status).toBe(404)
      mcp.signIns.cancel(key)
    })
    await expect(done).rejects.toMatchObject({ code: 'cancelled' })
    expect(status(mcp).signIn).toEqual({ state: 'required' })
  })
})

describe('a token that ends', () => {
  it('is replaced once, without a new sign-in', async () => {
    const mcp = await start()
    await signIn(mcp)
    remote.expire()
    expect(await Promise.all([shout(mcp), shout(mcp)])).toMatchObject([{ text: 'A' }, { text: 'A' }])
    expect(remote.tokenRequests.filter((each) => each.grant_type === 'refresh_token')).toMatchObject([
      { refresh_token: 'refresh-1', resource: remote.url },
    ])
    expect(status(mcp).signIn).toEqual({ state: 'signedIn' })
  })

  it('is replaced before it ends', async () => {
    const mcp = await start({ expiresIn: 5 })
    await signIn(mcp)
    remote.behavior.expiresIn = 3600
    await shout(mcp)
    expect(remote.tokenRequests.at(-1)).toMatchObject({ grant_type: 'refresh_token' })
    const refused = remote.authorizations.slice(2).filter((header) => header === undefined)
    expect(refused).toEqual([])
  })

  it('serves until its end if the authorization server fails before', async () => {
    const mcp = await start({ expiresIn: 25 })
    await signIn(mcp)
    remote.behavior.refreshStatus = 500
    expect(await shout(mcp)).toMatchObject({ text: 'A' })
    expect(remote.tokenRequests.at(-1)).toMatchObject({ grant_type: 'refresh_token' })
  })

  it('requires a new sign-in if the refresh is refused', async () => {
    const mcp = await start()
    await signIn(mcp)
    remote.expire()
    remote.behavior.refusesRefresh = true
    await expect(shout(mcp)).rejects.toThrow('The server requires a sign-in.')
    expect(secrets.size).toBe(0)
    await vi.waitFor(() => expect(status(mcp).signIn).toEqual({ state: 'required' }))
    remote.behavior.refusesRefresh = false
    await signIn(mcp)
    expect(await shout(mcp)).toMatchObject({ text: 'A' })
  })

  it('stays signed in if the authorization server fails', async () => {
    const mcp = await start()
    await signIn(mcp)
    remote.expire()
    remote.behavior.refreshStatus = 500
    await expect(shout(mcp)).rejects.toThrow(/The sign-in could not be renewed\. .* responded with status 500/)
    remote.behavior.refreshStatus = undefined
    expect(await shout(mcp)).toMatchObject({ text: 'A' })
  })

  it('is not sent to another address that the server gets', async () => {
    const mcp = await start()
    await signIn(mcp)
    const other = await startOAuthFixture()
    try {
      settings = mcpSettingsSchema.parse({ servers: { remote: { url: other.url } } })
      await mcp.refresh()
      await mcp.ready(signal)
      expect(other.authorizations.length).toBeGreaterThan(0)
      expect(other.authorizations.every((header) => header === undefined)).toBe(true)
    } finally {
      await other.close()
    }
  })
})

it('asks for the permissions that the server requires later, at the next sign-in', async () => {
  const mcp = await start()
  await signIn(mcp)
  remote.behavior.requires = 'admin'
  await expect(shout(mcp)).rejects.toThrow('The server requires more permissions than you gave it.')
  // Another process may sign in.
  expect([...secrets.values()].map((text) => (JSON.parse(text) as Credentials).requiredScopes)).toEqual(['admin'])
  expect((await mcp.signIns.find(key, signal)).scopes).toEqual(['tools', 'files', 'admin'])
  await signIn(mcp)
  expect((await mcp.signIns.find(key, signal)).scopes).toEqual(['tools', 'files', 'admin'])
  expect(await shout(mcp)).toMatchObject({ text: 'A' })
})

it('signs out: revokes and deletes the tokens', async () => {
  const mcp = await start()
  await signIn(mcp)
  await mcp.signIns.signOut(key)
  await mcp.ready(signal)
  expect(secrets.size).toBe(0)
  expect(remote.tokenRequests.at(-1)).toMatchObject({ revoke: 'yes', token: 'refresh-1', client_id: 'client-1' })
  expect(status(mcp)).toMatchObject({ state: 'failed' })
})

it('offers no sign-in for a server with a key of its own', async () => {
  remote = await startOAuthFixture()
  settings = mcpSettingsSchema.parse({
    servers: { remote: { url: remote.url, headers: { Authorization: 'Bearer k' } } },
  })
  const mcp = await openWindow()
  expect(status(mcp)).toMatchObject({ state: 'failed', signIn: undefined })
  expect(remote.authorizations).toEqual(['Bearer k'])
})
