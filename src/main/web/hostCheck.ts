import { lookup, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { ToolError } from '../../shared/errors.ts'
import { nonPublicReason } from './publicAddresses.ts'

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export interface HostCheck {
  /** Origins (scheme, host and port) from the user's settings, the only ones allowed on private addresses. */
  exemptOrigins(): readonly string[]
  /** Default: the system resolver. */
  resolve?: Resolve
  /** Returns why an address is refused; undefined if it is allowed. Default: `nonPublicReason`. */
  refuse?: (address: string) => string | undefined
}

/**
 * Resolves and checks all addresses of a host. One refused address refuses the host, since the connection could use any
 * of them.
 * @throws ToolError network_error if the host has no address, address_refused
 */
export async function checkedAddresses(
  url: URL,
  { exemptOrigins, resolve = systemResolve, refuse = nonPublicReason }: HostCheck,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses = family === 0 ? await abortable(resolve(host), signal) : [{ address: host, family }]
  if (addresses.length === 0)
    throw new ToolError('network_error', `The host ${host} has no address.`, 'Check the spelling.')
  if (exemptOrigins().includes(url.origin)) return addresses
  for (const { address } of addresses) {
    const reason = refuse(address)
    if (reason === undefined) continue
    throw new ToolError(
      'address_refused',
      address === host
        ? `The address ${host} is not on the public internet (${reason}). Nothing was sent.`
        : `${host} resolves to ${address}, which is not on the public internet (${reason}). Nothing was sent.`,
      `Fetch a public address. Only the user can allow ${url.origin}, in Settings under Web.`,
    )
  }
  return addresses
}

/** Resolves all addresses through the operating system. */
const systemResolve: Resolve = (hostname) =>
  new Promise((done, failed) => {
    lookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) => (error ? failed(error) : done(addresses)))
  })

/** Stops waiting for work when the signal aborts. A name lookup itself cannot be cancelled. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  return promise
}
