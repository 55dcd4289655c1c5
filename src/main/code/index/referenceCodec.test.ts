import { expect, test } from 'vitest'
import { decodeReferences, encodeReferences } from './referenceCodec.ts'
import type { FoundReference } from './symbolTypes.ts'

const references: FoundReference[] = [
  { kind: 'call', name: 'größe', receiver: null, origin: null, line: 1, column: 1, from: null },
  { kind: 'call', name: 'read', receiver: 'this.#files', origin: ':Files', line: 1, column: 200, from: 0 },
  { kind: 'extends', name: 'Base', receiver: null, origin: null, line: 70_000, column: 1_000_000, from: 500_000 },
  { kind: 'usage', name: 'read', receiver: '', origin: '', line: 70_000, column: 1_000_002, from: 3 },
]

test('returns the references that were stored', () => {
  const decoded = decodeReferences(encodeReferences(references))
  expect(decoded.map(({ reference }) => reference)).toEqual(references)
  expect(decoded.map(({ place }) => place)).toEqual([0, 1, 2, 3])
})

test('returns the references to a name with their places among all', () => {
  const bytes = encodeReferences(references)
  expect(decodeReferences(bytes, 'read')).toEqual([
    { place: 1, reference: references[1] },
    { place: 3, reference: references[3] },
  ])
  expect(decodeReferences(bytes, 'write')).toEqual([])
})

test('takes few bytes for a reference to a name that repeats', () => {
  const repeated = Array.from({ length: 1000 }, (_, index): FoundReference => {
    return { kind: 'call', name: 'read', receiver: null, origin: null, line: index + 1, column: 3, from: 5 }
  })
  expect(encodeReferences(repeated).length).toBeLessThan(1000 * 6)
})
