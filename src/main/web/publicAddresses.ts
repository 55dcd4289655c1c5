import ipaddr from 'ipaddr.js'

/** Readable names of ipaddr.js ranges. Every range except `unicast` is refused, listed here or not. */
const rangeNames: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link-local',
  loopback: 'loopback',
  carrierGradeNat: 'carrier-grade NAT',
  private: 'private',
  uniqueLocal: 'private',
  ipv4Mapped: 'IPv4-mapped',
  '6to4': '6to4',
  teredo: 'Teredo',
  benchmarking: 'benchmark',
  rfc6052: 'NAT64',
  rfc6145: 'IPv4-translated',
  deprecatedSiteLocal: 'site-local',
}

/** The only IPv6 range allocated to the public internet (IANA, "IPv6 Global Unicast Address Space"). */
const publicIpv6 = '2000::/3'

/**
 * Addresses in public ranges that reach the services of a cloud from its machines: metadata, keys and configuration.
 * Other clouds use link-local, shared and private addresses, which are refused by their range.
 */
const cloudServices: ReadonlySet<string> = new Set([
  '168.63.129.16', // Azure: WireServer and DNS
  '100.100.100.200', // Alibaba Cloud
  '192.0.0.192', // Oracle Cloud, classic
])

/**
 * Returns why an address is not on the public internet; undefined if it is. Uses an allow list: unallocated addresses
 * and IPv6 forms with an embedded IPv4 address are refused too.
 * @param address an address from a resolver, without brackets
 */
export function nonPublicReason(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.parse(address)
  if (cloudServices.has(parsed.toString())) return 'cloud metadata'
  const range = parsed.range()
  if (range !== 'unicast') return rangeNames[range] ?? 'reserved'
  if (parsed.kind() === 'ipv6' && !parsed.match(ipaddr.parseCIDR(publicIpv6)))
    return parsed.match(ipaddr.parseCIDR('::/96')) ? 'IPv4-compatible' : 'reserved'
  return undefined
}
