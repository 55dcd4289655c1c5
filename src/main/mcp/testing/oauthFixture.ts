import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createFixture } from './fixture.ts'

/** Deviations from the specifications, for the servers and for the user in the browser. */
export interface OAuthBehavior {
  /** `resource` in the description of the MCP server. */
  resource?: string
  /** Where the challenge refers to for that description. */
  describedAt?: string
  /** Fields of the metadata of the authorization server to replace. */
  metadata?: Record<string, unknown>
  /** Parameters of the redirect to replace; null removes one. */
  redirect?: Record<string, string | null>
  /** Status of the token endpoint, for codes and for refreshes. */
  codeStatus?: number
  refreshStatus?: number
  /** Whether a refresh is refused as `invalid_grant`. */
  refusesRefresh?: boolean
  registration?: 'refused' | 'redirect'
  /** A scope without which all requests are refused, although the description does not name it. */
  requires?: string
  /** Lifetime of access tokens in seconds. */
  expiresIn?: number
}

export interface OAuthFixture {
  /** Address of the MCP server. */
  url: string
  issuer: string
  behavior: OAuthBehavior
  /** Requests of the token and revocation endpoints, in order. */
  tokenRequests: Record<string, string>[]
  registrations: unknown[]
  /** `Authorization` headers that the MCP server received. */
  authorizations: (string | undefined)[]
  /** Makes the current access token invalid. */
  expire(): void
  /** Signs in as a browser with a consenting user does. @returns status and text of the last page */
  browse(page: string): Promise<{ status: number; text: string }>
  close(): Promise<void>
}

/** Runs an MCP server that requires a sign-in, and its authorization server, on local HTTP. */
export async function startOAuthFixture(behavior: OAuthBehavior = {}): Promise<OAuthFixture> {
  const tokenRequests: Record<string, string>[] = []
  const registrations: unknown[] = []
  const authorizations: (string | undefined)[] = []
  const redirects = new Map<string, string>()
  const codes = new Map<string, { challenge: string; resource: string; redirect: string; scopes: string[] }>()
  let issued = 0
  let access: string | undefined
  let refresh: string | undefined
  let granted: string[] = []
  const sessions = new Map<string, StreamableHTTPServerTransport>()

  const authorizationServer = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  }).listen(0, '127.0.0.1')
  const mcpServer = createServer((request, response) => {
    serveMcp(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  }).listen(0, '127.0.0.1')
  await Promise.all([once(authorizationServer, 'listening'), once(mcpServer, 'listening')])
  // A server listening on a port has an address of this type.
  const issuer = `http://127.0.0.1:${(authorizationServer.address() as AddressInfo).port}`
  const origin = `http://127.0.0.1:${(mcpServer.address() as AddressInfo).port}`

  async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      return json(response, 200, {
        resource: behavior.resource ?? `${origin}/mcp`,
        authorization_servers: [issuer],
        scopes_supported: ['tools', 'files'],
      })
    }
    authorizations.push(request.headers.authorization)
    if (access === undefined || request.headers.authorization !== `Bearer ${access}`) {
      const described = behavior.describedAt ?? `${origin}/.well-known/oauth-protected-resource/mcp`
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${described}"` }).end()
      return
    }
    if (behavior.requires !== undefined && !granted.includes(behavior.requires)) {
      const challenge = `Bearer error="insufficient_scope", scope="${behavior.requires}"`
      response.writeHead(403, { 'www-authenticate': challenge }).end()
      return
    }
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await createFixture().connect(transport)
    await transport.handleRequest(request, response)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', issuer)
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          ...behavior.metadata,
        })
      case '/register': {
        const client = JSON.parse(await text(request)) as { redirect_uris: string[] }
        registrations.push(client)
        if (behavior.registration === 'redirect') return void response.writeHead(307, { location: issuer }).end()
        if (behavior.registration === 'refused')
          return json(response, 400, { error: 'invalid_client_metadata', error_description: 'No programs.' })
        const id = `client-${registrations.length}`
        redirects.set(id, client.redirect_uris[0] ?? '')
        return json(response, 201, { ...client, client_id: id })
      }
      case '/authorize': {
        const query = Object.fromEntries(url.searchParams)
        const redirect = String(query.redirect_uri)
        // As in real servers, only registered redirect addresses are used.
        if (redirects.get(String(query.client_id)) !== redirect) return json(response, 400, { error: 'invalid_client' })
        const code = randomUUID()
        codes.set(code, {
          challenge: String(query.code_challenge),
          resource: String(query.resource),
          redirect,
          scopes: String(query.scope).split(' '),
        })
        const target = new URL(redirect)
        const values = { code, state: query.state ?? '', iss: issuer, ...behavior.redirect }
        for (const [name, value] of Object.entries(values)) if (value !== null) target.searchParams.set(name, value)
        return void response.writeHead(302, { location: target.href }).end()
      }
      case '/token':
        return token(response, Object.fromEntries(new URLSearchParams(await text(request))))
      case '/revoke':
        tokenRequests.push({ revoke: 'yes', ...Object.fromEntries(new URLSearchParams(await text(request))) })
        return void response.writeHead(200).end()
      default:
        return json(response, 404, {})
    }
  }

  function token(response: ServerResponse, form: Record<string, string>): void {
    tokenRequests.push(form)
    const renewing = form.grant_type === 'refresh_token'
    const status = renewing ? behavior.refreshStatus : behavior.codeStatus
    if (status !== undefined) return void response.writeHead(status).end('Internal error')
    const code = codes.get(form.code ?? '')
    codes.delete(form.code ?? '')
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    const valid = renewing
      ? !behavior.refusesRefresh && form.refresh_token === refresh && form.resource === `${origin}/mcp`
      : code?.challenge === challenge && code.redirect === form.redirect_uri && code.resource === form.resource
    if (!valid) return json(response, 400, { error: 'invalid_grant', error_description: 'Expired.' })
    if (code) granted = code.scopes
    issued += 1
    access = `access-${issued}`
    refresh = `refresh-${issued}`
    const expiresIn = behavior.expiresIn ?? 3600
    json(response, 200, { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: expiresIn })
  }

  return {
    url: `${origin}/mcp`,
    issuer,
    behavior,
    tokenRequests,
    registrations,
    authorizations,
    expire: () => (access = undefined),
    async browse(page) {
      const response = await fetch(page)
      return { status: response.status, text: await response.text() }
    },
    async close() {
      for (const server of [authorizationServer, mcpServer]) {
        const closed = once(server, 'close')
        server.close()
        server.closeAllConnections()
        await closed
      }
    },
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
