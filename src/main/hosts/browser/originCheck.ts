import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether the Host header is a loopback name. A request of a website that resolves to 127.0.0.1 (DNS rebinding) has that site's
 * name. Any port is accepted, because requests through `ssh -L 9000:127.0.0.1:PORT` have the port of the tunnel.
 */
export function isLoopbackHost(host: string | undefined): host is string {
  const match = /^(.+?)(?::\d{1,5})?$/.exec(host ?? '')
  return match?.[1] !== undefined && loopbackNames.has(match[1].toLowerCase())
}

/** Whether a request comes from a page of this server: its origin is exactly the requested host. */
export function isOwnOrigin(headers: IncomingHttpHeaders): boolean {
  return isLoopbackHost(headers.host) && headers.origin?.toLowerCase() === `http://${headers.host.toLowerCase()}`
}

/** Whether a request has the origin of another site. A plain GET has no Origin header. */
export function isForeignOrigin(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined && !isOwnOrigin(headers)
}
