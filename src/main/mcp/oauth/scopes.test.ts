import { expect, it } from 'vitest'
import { addRequiredScopes, requestedScopes } from './scopes.ts'

it('lists of permissions are joined without duplicates and empty names', () => {
  expect(addRequiredScopes('tools read  write', 'admin write')).toBe('tools read write admin')
  expect(addRequiredScopes(undefined, ' ')).toBeUndefined()
})

it('the permissions of a request take precedence over all that a server offers, and too many are left out', () => {
  expect(requestedScopes('tools', ['tools', 'admin'])).toBe('tools')
  expect(requestedScopes(undefined, ['tools', 'admin'])).toBe('tools admin')
  expect(requestedScopes(undefined, ['x'.repeat(2001)])).toBeUndefined()
  expect(requestedScopes('x'.repeat(2001), ['tools'])).toBeUndefined()
})

it('a server cannot require endless permissions', () => {
  let scopes: string | undefined = 'read'
  for (const at of Array(50).keys()) scopes = addRequiredScopes(scopes, `${'x'.repeat(100)}${at}`)
  expect(scopes?.length).toBeLessThanOrEqual(2000)
  expect(scopes?.split(' ')[0]).toBe('read')
})
