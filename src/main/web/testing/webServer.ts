import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LookupAddress } from 'node:dns'
import { settingsSchema, type WebSettings } from '../../../shared/settings/settings.ts'
import { createIsolatedJobs } from '../../base/isolatedJob.ts'
import { nonPublicReason } from '../publicAddresses.ts'
import type { Resolve } from '../hostCheck.ts'
import { createWebClient, type WebClient, type WebClientOptions } from '../webClient.ts'
import { createWeb, type Web, type WebDeps } from '../webAccess.ts'

// Test helpers: local servers with their own host names.

export interface TestServer {
  /** e.g. `http://site.test:40123` */
  origin: string
  port: number
  /** Requests in order of arrival. */
  seen: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[]
  close(): Promise<void>
}

/** Starts a server on 127.0.0.1, reachable as `site.test`. */
export async function startSite(
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => void,
): Promise<TestServer> {
  const seen: TestServer['seen'] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      answer(request, response)
    })
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  // A server listening on a port has an address of this type.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://site.test:${port}`,
    port,
    seen,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Resolves `site.test` and `other.test` to 127.0.0.1 and `inside.test` to 127.0.0.2; other names do not exist. */
export const testResolve: Resolve = (name) => {
  const address = { 'site.test': '127.0.0.1', 'other.test': '127.0.0.1', 'inside.test': '127.0.0.2' }[name]
  if (address === undefined)
    return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
  return Promise.resolve([{ address, family: 4 } satisfies LookupAddress])
}

/** Treats 127.0.0.1 as public and judges other addresses normally. */
export const testRefuse = (address: string) => (address === '127.0.0.1' ? undefined : nonPublicReason(address))

export function testClient(options: Partial<WebClientOptions> = {}): WebClient {
  return createWebClient({ resolve: testResolve, refuse: testRefuse, exemptOrigins: () => [], ...options })
}

export function testWeb(settings: Partial<WebSettings> = {}, parts: Partial<WebDeps> = {}): Web {
  return createWeb({
    resolve: testResolve,
    refuse: testRefuse,
    settings: () => ({ ...settingsSchema.parse({}).web, ...settings }),
    braveKey: () => Promise.resolve(undefined),
    runIsolated: createIsolatedJobs(),
    ...parts,
  })
}
