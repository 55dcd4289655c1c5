import { expect, test } from 'vitest'
import { notPublic } from './addresses.ts'

test.each([
  ['0.0.0.0', 'unspecified'], ['0.1.2.3', 'unspecified'], ['10.1.2.3', 'private'], ['172.16.0.1', 'private'], ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'], ['127.0.0.1', 'loopback'], ['127.255.255.254', 'loopback'], ['169.254.169.254', 'link-local'],
  ['100.64.0.1', 'carrier-grade NAT'], ['100.127.255.255', 'carrier-grade NAT'], ['224.0.0.1', 'multicast'], ['239.255.255.255', 'multicast'],
  ['255.255.255.255', 'broadcast'], ['240.0.0.1', 'reserved'], ['192.0.0.1', 'reserved'], ['192.0.2.1', 'reserved'], ['198.51.100.1', 'reserved'],
  ['203.0.113.1', 'reserved'], ['198.18.0.1', 'reserved'], ['198.19.255.255', 'reserved'], ['192.88.99.1', 'reserved'],
  ['::', 'unspecified'], ['::1', 'loopback'], ['fe80::1', 'link-local'], ['fec0::1', 'site-local'], ['fc00::1', 'private'], ['fd12:3456::1', 'private'],
  ['ff02::1', 'multicast'], ['::ffff:127.0.0.1', 'IPv4-mapped'], ['::ffff:8.8.8.8', 'IPv4-mapped'], ['::ffff:7f00:1', 'IPv4-mapped'],
  ['::7f00:1', 'IPv4-compatible'], ['::a00:1', 'IPv4-compatible'], ['::ffff:0:7f00:1', 'IPv4-translated'], ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b::a00:1', 'NAT64'], ['64:ff9b:1::1', 'NAT64'], ['2002:7f00:1::', '6to4'], ['2002:a00:1::1', '6to4'], ['2001::1', 'Teredo'],
  ['2001:db8::1', 'reserved'], ['3fff::1', 'reserved'], ['2001:2::1', 'benchmark'], ['100::1', 'reserved'], ['4000::1', 'reserved'],
  ['fe80::1%eth0', 'link-local'], ['not an address', 'unreadable'], ['', 'unreadable'],
])('%s is refused as %s', (address, reason) => {
  expect(notPublic(address)).toBe(reason)
})

test.each(['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.255.255', '100.128.0.1', '169.253.1.1', '223.255.255.254', '2606:4700:4700::1111', '2a00:1450::1'])(
  '%s is public', (address) => {
    expect(notPublic(address)).toBeUndefined()
  })
