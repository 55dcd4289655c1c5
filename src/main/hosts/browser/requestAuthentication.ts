import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { z } from 'zod'

/** A refused request: HTTP status and the text shown in the browser. */
export interface Refusal {
  status: number
  message: string
  headers?: Record<string, string>
}

/**
 * Access control of the browser host. The printed URL contains a one-time token. The page exchanges it once for a
 * session secret and sends that secret as the first message of each WebSocket. There are no cookies, because a server
 * on another port would receive them. Host and Origin are checked on every request. Tokens and secrets exist only in
 * memory.
 */
export interface RequestAuthentication {
  /** Creates a one-time token, valid for ten minutes. Invalidates an unused previous one. */
  issueToken(): string
  /** Checks a request's Host and Origin. Returns null if the request is allowed. */
  check(headers: IncomingHttpHeaders): Refusal | null
  /** Handles a request that exchanges a token for a session secret. */
  exchangeToken(request: IncomingMessage): Promise<{ secret: string } | Refusal>
  /**
   * Whether a request comes from a page of this server. `isValidHello` checks a WebSocket's session; the id of a text
   * was sent to a session.
   */
  isOwnOrigin(headers: IncomingHttpHeaders): boolean
  /** Whether a message is `{kind:'hello', secret}` with a valid session secret. */
  isValidHello(message: unknown): boolean
}

const helloSchema = z.object({ kind: z.literal('hello'), secret: z.string().max(200) })
const tokenSchema = z.object({ token: z.string() })
/** Maximum size of the body of a token exchange, in bytes. */
const maxTokenBody = 4096

/** Milliseconds for which an unused token is valid. Terminals and their logs keep printed URLs. */
const tokenLifetime = 600_000

/**
 * @param publicOrigin the only allowed origin, such as `https://tizona.example`, replacing this machine's
 * @param now clock in milliseconds, for tests
 */
export function createRequestAuthentication(
  publicOrigin?: string,
  now: () => number = () => performance.now(),
): RequestAuthentication {
  const { isHost, isOwnOrigin } = publicOrigin === undefined ? loopbackAccess : publicAccess(publicOrigin)
  let token: string | null = null
  let issuedAt = 0
  const secrets: string[] = []

  /** Returns a new session secret, or null if the token is invalid, expired or already used. */
  function exchange(presented: string): string | null {
    if (token === null || !equal(presented, token)) return null
    token = null
    if (now() - issuedAt > tokenLifetime) return null
    const secret = randomSecret()
    secrets.push(secret)
    return secret
  }

  return {
    issueToken() {
      token = randomSecret()
      issuedAt = now()
      return token
    },
    check(headers) {
      // A plain GET has no Origin header.
      if (isHost(headers.host) && (headers.origin === undefined || isOwnOrigin(headers))) return null
      const message =
        publicOrigin === undefined
          ? 'This address can only be opened on this machine.'
          : `This address can only be opened at ${publicOrigin}.`
      return { status: 403, message }
    },
    async exchangeToken(request) {
      if (request.method !== 'POST')
        return { status: 405, message: 'Send the token by POST.', headers: { Allow: 'POST' } }
      // A page of another origin can only send this content type after a preflight request, which is refused.
      if (!isOwnOrigin(request.headers) || !/^application\/json\b/.test(request.headers['content-type'] ?? ''))
        return { status: 403, message: 'Only the window itself can use this address.' }
      const body = await readBody(request, maxTokenBody)
      if (body === null) return { status: 413, message: 'The request is too large.' }
      const presented = parseToken(body)
      const secret = presented === null ? null : exchange(presented)
      if (secret !== null) return { secret }
      return {
        status: 401,
        message:
          'This address was already used, has expired or is invalid. Press Enter in the terminal that runs Tizona to get a new one.',
      }
    },
    isOwnOrigin,
    isValidHello(message) {
      const hello = helloSchema.safeParse(message)
      return hello.success && secrets.some((secret) => equal(hello.data.secret, secret))
    },
  }
}

/** Decides which requests come from the window. */
interface Access {
  isHost(host: string | undefined): boolean
  /** Whether a request comes from a page of this server: its origin is the requested host. */
  isOwnOrigin(headers: IncomingHttpHeaders): boolean
}

const loopbackAccess: Access = { isHost: isLoopbackHost, isOwnOrigin: isLoopbackOrigin }

/**
 * Access through a reverse proxy. Host and Origin must match the origin exactly. Other proxy headers are ignored,
 * because every client can send them.
 */
function publicAccess(publicOrigin: string): Access {
  const { host } = new URL(publicOrigin)
  const isHost = (given: string | undefined): boolean => given?.toLowerCase() === host
  return { isHost, isOwnOrigin: (headers) => isHost(headers.host) && headers.origin === publicOrigin }
}

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether the Host header is a loopback name. Requests from a website whose name resolves to 127.0.0.1 (DNS rebinding)
 * have that name instead. Any port is accepted, because requests through `ssh -L 9000:127.0.0.1:PORT` have the tunnel's
 * port.
 */
function isLoopbackHost(host: string | undefined): host is string {
  const match = /^(.+?)(?::\d{1,5})?$/.exec(host ?? '')
  return match?.[1] !== undefined && loopbackNames.has(match[1].toLowerCase())
}

function isLoopbackOrigin(headers: IncomingHttpHeaders): boolean {
  return isLoopbackHost(headers.host) && headers.origin?.toLowerCase() === `http://${headers.host.toLowerCase()}`
}

/** Returns 256 random bits as URL-safe text. */
function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares in constant time, so that response times reveal nothing about a secret. */
function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Reads the body of a request. Returns null if it is longer than `limit` bytes. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  // An IncomingMessage without an encoding yields buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseToken(body: string): string | null {
  try {
    return tokenSchema.parse(JSON.parse(body)).token
  } catch {
    return null
  }
}
