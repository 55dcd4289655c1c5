import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether the Host header names this machine. A page of another site that was made to resolve to 127.0.0.1 (DNS rebinding)
 * names that site and fails. Any port passes: `ssh -L 9000:127.0.0.1:PORT` arrives with the port of the tunnel.
 */
export function isLoopbackHost(host: string | undefined): host is string {
  const match = /^(.+?)(?::\d{1,5})?$/.exec(host ?? '')
  return match?.[1] !== undefined && loopbackNames.has(match[1].toLowerCase())
}

/** Whether a request comes from the page this server delivered: the origin is exactly the host that was asked. */
export function isOwnOrigin(headers: IncomingHttpHeaders): boolean {
  return isLoopbackHost(headers.host) && headers.origin?.toLowerCase() === `http://${headers.host.toLowerCase()}`
}

/** A plain GET carries no Origin; one that does must be our own. */
export function isForeignOrigin(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined && !isOwnOrigin(headers)
}
