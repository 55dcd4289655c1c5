import { expect, it } from 'vitest'
import { protectedChangesText, sandboxText } from './sandbox.ts'

it('describes created and changed protected places, with the right number', () => {
  expect(protectedChangesText({ created: ['.github/workflows/x.yml'], changed: [], more: 0 })).toBe(
    'This command created .github/workflows/x.yml, which can run code later. Review it.',
  )
  expect(protectedChangesText({ created: ['a/.envrc', 'bare'], changed: ['dist/.npmrc'], more: 2 })).toBe(
    'This command created a/.envrc, bare and changed dist/.npmrc and 2 more, which can run code later. Review them.',
  )
})

it('names the secret files that a sandboxed command can read', () => {
  expect(sandboxText({ sandboxed: true, network: false, secrets: ['.env'] })).toBe(
    'Sandboxed, no network, can read .env',
  )
  expect(sandboxText({ sandboxed: true, network: true, secrets: [] })).toBe('Sandboxed, with network')
})
