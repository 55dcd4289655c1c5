import ipaddr from 'ipaddr.js'

/** What ipaddr.js calls a range -> what a person does. Everything that is not `unicast` is refused, named here or not. */
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

/** The only IPv6 space that is given out for the public internet (IANA, "IPv6 Global Unicast Address Space"). */
const publicIpv6 = ipaddr.parseCIDR('2000::/3')

/**
 * Why an address is not one of the public internet, in a word or two; undefined when it is. An allow list: what the registries
 * have not given out is refused too, and so is every form that carries an IPv4 address inside an IPv6 one.
 * @param address an address as a resolver gives it, without brackets
 */
export function nonPublicReason(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range !== 'unicast') return rangeNames[range] ?? 'reserved'
  if (parsed.kind() === 'ipv6' && !parsed.match(publicIpv6))
    return parsed.match(ipaddr.parseCIDR('::/96')) ? 'IPv4-compatible' : 'reserved'
  return undefined
}
