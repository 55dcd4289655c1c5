import { expect, test } from 'vitest'
import { isOnThisMachine } from './localServers.ts'

test.each(['http://localhost:8080', '127.0.0.1:11434', 'http://127.3.2.1', 'http://[::1]:8000/v1'])(
  '%s is on this machine',
  (address) => expect(isOnThisMachine(address)).toBe(true),
)

test.each([
  'http://192.168.1.2:8080',
  'https://api.example.com/v1',
  'http://127.0.0.1.example.com',
  '',
  'not an address',
])('"%s" is not on this machine', (address) => expect(isOnThisMachine(address)).toBe(false))
