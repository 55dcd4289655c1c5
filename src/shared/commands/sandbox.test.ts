import { expect, it } from 'vitest'
import { protectedChangesText, sandboxText } from './sandbox.ts'

it('describes created and changed protected places, with the right number', () => {
  expect(protectedChangesText({ created: ['.github/workflows/x.yml'], changed: [], more: 0 })).toBe(
    'This command created .github/workflows/x.yml. Review it, because it can run code later.',
  )
  expect(protectedChangesText({ created: ['a/.envrc', 'bare'], changed: ['dist/.npmrc'], more: 2 })).toBe(
    'This command created a/.envrc, bare. This command changed dist/.npmrc. Number of paths not listed: 2. Review them, because they can run code later.',
  )
})

it('names the secret files that a sandboxed command can read', () => {
  expect(sandboxText({ sandboxed: true, network: false, secrets: ['.env'] })).toBe(
    'Sandboxed, without network access. Readable secret files: .env',
  )
  expect(sandboxText({ sandboxed: true, network: true, secrets: [] })).toBe('Sandboxed, with network access')
})
