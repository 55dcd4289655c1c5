import { expect, it } from 'vitest'
import { addRequiredScopes, joinScopes } from './scopes.ts'

it('lists of permissions are joined without duplicates and empty names', () => {
  expect(joinScopes('tools', undefined, 'read  write', 'admin write')).toBe('tools read write admin')
  expect(joinScopes(undefined, '', ' ')).toBeUndefined()
})

it('a server cannot require endless permissions', () => {
  let scopes: string | undefined = 'read'
  for (const at of Array(50).keys()) scopes = addRequiredScopes(scopes, `${'x'.repeat(100)}${at}`)
  expect(scopes?.length).toBeLessThanOrEqual(2000)
  expect(scopes?.split(' ')[0]).toBe('read')
})
