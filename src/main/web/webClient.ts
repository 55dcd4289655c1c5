import type { IncomingMessage } from 'node:http'
import { ToolError } from '../../shared/errors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { acceptedEncodings, decompress, readBytes, readText } from './responseBody.ts'
import { sendRequest, connectionError } from './singleRequest.ts'
import { checkedAddresses, type HostCheck } from './hostCheck.ts'
import { requestHeaders } from './requestHeaders.ts'
import { webUrl } from './webUrl.ts'

export const webMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const
export type WebMethod = (typeof webMethods)[number]

/** A request as passed by a tool. */
export interface WebRequest {
  url: string
  /** Default `GET`. */
  method?: WebMethod
  headers?: Readonly<Record<string, string>>
  /** Not allowed with `GET`. */
  body?: string
  /** Maximum bytes of the decompressed body; the rest is not read. Default: 100 KB. */
  maxBytes?: number
}

/** A response with its body as text. */
export interface WebResponse {
  /** Final address after redirects. */
  url: string
  status: number
  statusText: string
  headers: IncomingMessage['headers']
  /** Media type without parameters; empty if the server sent none. */
  type: string
  text: string
  /** The body is longer than `maxBytes`. */
  truncated: boolean
}

export interface WebLimits {
  /** Milliseconds for the whole request, including name lookups and redirects. */
  totalMs: number
  redirects: number
  /** Maximum bytes of the response headers. */
  headerBytes: number
}
const defaultLimits: WebLimits = { totalMs: 30_000, redirects: 5, headerBytes: 16 * 1024 }
/** Default of `WebRequest.maxBytes`. */
export const defaultMaxBytes = 100 * 1024

export interface WebClientOptions extends HostCheck {
  limits?: Partial<WebLimits>
}

/** HTTP client restricted to the public internet. */
export interface WebClient {
  /** Validates a request without network access. @throws ToolError invalid_arguments */
  check(request: WebRequest): void
  /**
   * Sends a request. A response with an error status is a result.
   * @throws ToolError invalid_arguments, address_refused, network_error, timeout, too_large, binary_file
   */
  fetch(request: WebRequest, signal: AbortSignal): Promise<WebResponse>
  /**
   * Downloads a file. Throws as `fetch`.
   * @throws ToolError too_large if it has more than `maxBytes`; network_error for an error status
   */
  download(url: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>
}

/** Headers kept when a redirect leads to another origin. Any other header may contain a key. */
const safeCrossOriginHeaders = new Set(['accept', 'accept-language', 'user-agent'])

/** Creates a client. Each request checks the addresses of its host, including after redirects. */
export function createWebClient(options: WebClientOptions): WebClient {
  const limits = { ...defaultLimits, ...options.limits }

  async function send<T>(request: WebRequest, signal: AbortSignal, read: ReadResponse<T>): Promise<T> {
    signal.throwIfAborted()
    const step = prepareRequest(request)
    const deadline = AbortSignal.timeout(limits.totalMs)
    try {
      const ending = AbortSignal.any([signal, deadline])
      return await fetchFollowingRedirects(step, { ...options, limits, signal: ending }, read)
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.aborted) {
        throw new ToolError(
          'timeout',
          `${step.url.host} did not respond in full within ${limits.totalMs / 1000} seconds.`,
          'Try again later, or fetch something smaller.',
          { cause: error },
        )
      }
      throw error instanceof ToolError ? error : connectionError(error, step.url)
    }
  }

  return {
    check: (request) => void prepareRequest(request),
    fetch: (request, signal) =>
      send(request, signal, async (response, url) => {
        const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
        const body = await readText(response, request.maxBytes ?? defaultMaxBytes)
        return { url: url.href, status, statusText, headers, ...body }
      }),
    download: (address, maxBytes, signal) =>
      send({ url: address }, signal, async (response, url) => {
        try {
          if (response.statusCode !== 200)
            throw new ToolError(
              'network_error',
              `${url.host} did not send ${url.pathname}: status ${response.statusCode}.`,
              'Try again later.',
            )
          const { bytes, truncated } = await readBytes(decompress(response), maxBytes)
          if (!truncated) return bytes
          throw new ToolError('too_large', `${url.href} is larger than ${formatSize(maxBytes)}.`)
        } finally {
          response.destroy()
        }
      }),
  }
}

/** Reads the final response. @param url its address after redirects */
type ReadResponse<T> = (response: IncomingMessage, url: URL) => Promise<T>

function prepareRequest({ url, method = 'GET', headers = {}, body }: WebRequest): RequestStep {
  if (method === 'GET' && body !== undefined && body !== '') {
    throw new ToolError(
      'invalid_arguments',
      'A GET request cannot have a body.',
      'Put the values into the address, or use POST or PUT.',
    )
  }
  const defaults = { accept: '*/*', 'user-agent': 'Mozilla/5.0 (compatible; Tizona)' }
  return {
    url: webUrl(url),
    method,
    headers: { ...defaults, ...requestHeaders(headers) },
    body: method === 'GET' ? undefined : body,
  }
}

interface FetchOptions extends HostCheck {
  limits: WebLimits
  signal: AbortSignal
}

async function fetchFollowingRedirects<T>(
  first: RequestStep,
  { limits, signal, ...hostCheck }: FetchOptions,
  read: ReadResponse<T>,
): Promise<T> {
  let step = first
  for (let followed = 0; ; followed += 1) {
    const addresses = await checkedAddresses(step.url, hostCheck, signal)
    const response = await sendRequest({
      ...step,
      headers: { ...step.headers, 'accept-encoding': acceptedEncodings },
      addresses,
      maxHeaderBytes: limits.headerBytes,
      signal,
    })
    const { statusCode: status = 0, headers } = response
    if (!isRedirect(status) || headers.location === undefined) return read(response, step.url)
    response.destroy()
    if (followed === limits.redirects) {
      throw new ToolError(
        'network_error',
        `${first.url.href} redirects more than ${limits.redirects} times; the last redirect led to ${step.url.href}.`,
        'Fetch the final page directly.',
      )
    }
    step = redirected(step, status, headers.location)
  }
}

interface RequestStep {
  url: URL
  method: WebMethod
  headers: Readonly<Record<string, string>>
  body?: string
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/**
 * Builds the request after a redirect by the rules of the Fetch Standard, with two restrictions: headers that may
 * contain keys are not sent to another origin, and a request that changes something is not repeated there, because the
 * user approved it for the original address.
 */
function redirected(step: RequestStep, status: number, location: string): RequestStep {
  // Node decodes headers as Latin-1; non-ASCII addresses are UTF-8.
  const url = webUrl(Buffer.from(location, 'latin1').toString('utf8'), step.url)
  const sameOrigin = url.origin === step.url.origin
  const headers = sameOrigin
    ? step.headers
    : Object.fromEntries(Object.entries(step.headers).filter(([name]) => safeCrossOriginHeaders.has(name)))
  const becomesGet = status === 303 || (step.method === 'POST' && (status === 301 || status === 302))
  if (step.method === 'GET' || becomesGet) {
    return {
      url,
      method: 'GET',
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-'))),
    }
  }
  if (!sameOrigin) {
    throw new ToolError(
      'address_refused',
      `${step.url.host} redirects this ${step.method} to ${url.origin}. It was not sent there, because only ${step.url.origin} was allowed.`,
      `If it belongs there, call it with ${url.href} directly.`,
    )
  }
  return { ...step, url, headers }
}
