import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receipt } from '../src/receipt.js'

test('a receipt adds up', () => {
  const lines = receipt([
    { name: 'Bread', cents: 400 },
    { name: 'Cheese', cents: 1000, percentOff: 25 },
  ])
  assert.equal(lines.length, 4)
  assert.match(lines[2], /^Total +13\.92$/)
})
