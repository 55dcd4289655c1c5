import { expect, it } from 'vitest'
import { requireScopes, withRequiredScopes } from './requiredScopes.ts'

it('a sign-in asks for all permissions that the server has required, and no other server', () => {
  const url = 'https://a.example/mcp'
  requireScopes(url, 'read  write')
  requireScopes(url, 'admin write')
  expect(withRequiredScopes(url, 'tools')?.split(' ').toSorted()).toEqual(['admin', 'read', 'tools', 'write'])
  expect(withRequiredScopes('https://b.example/mcp', undefined)).toBeUndefined()
})

it('a server cannot require endless permissions', () => {
  const url = 'https://c.example/mcp'
  requireScopes(url, 'read')
  for (const at of Array(50).keys()) requireScopes(url, `${'x'.repeat(100)}${at}`)
  const scopes = withRequiredScopes(url, undefined) ?? ''
  expect(scopes.length).toBeLessThanOrEqual(2000)
  expect(scopes.split(' ')).toContain('read')
})
