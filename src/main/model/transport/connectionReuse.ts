import type { Agent } from 'node:http'
import type { SecureContext } from 'node:tls'
import { http, loadHttps } from '../../base/nodeHttp.ts'

/**
 * How long an unused connection stays open, in milliseconds. The next request of a turn follows within milliseconds
 * unless a tool takes long. Short without TLS, because an open connection occupies one of llama-server's few threads.
 * Longer with TLS: there is a proxy, and a new connection costs two round trips.
 */
const idleMs = 250
const idleTlsMs = 4000

let plain: Agent | undefined
const secure = new WeakMap<SecureContext, Agent>()
let secureByDefault: Agent | undefined

/** Returns the agent that shares connections between requests. Each set of trusted certificates has its own. */
export function sharedConnections(protocol: string, context: SecureContext | undefined): Agent {
  if (protocol !== 'https:') return (plain ??= new http.Agent({ keepAlive: true, timeout: idleMs }))
  const known = context === undefined ? secureByDefault : secure.get(context)
  if (known) return known
  const created = new (loadHttps().Agent)({ keepAlive: true, timeout: idleTlsMs })
  if (context === undefined) secureByDefault = created
  else secure.set(context, created)
  return created
}

/**
 * Whether a request failed before its answer began because the server had closed the connection that it reused. It can
 * be sent again like any request that could not connect (busyServerRetries.ts).
 */
export function isStaleConnection(reused: boolean, error: unknown): boolean {
  return reused && error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
