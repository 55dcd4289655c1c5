import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discount, format, taxPart, withTax } from '../src/prices.js'

test('prices are shown with two decimals', () => {
  assert.equal(format(1250), '12.50')
  assert.equal(format(5), '0.05')
})

test('a discount is a share of the price', () => {
  assert.equal(discount(20_000, 10), 18_000)
  assert.equal(discount(999, 50), 499)
})

test('no discount leaves the price alone', () => {
  assert.equal(discount(999, 0), 999)
})

test('tax is added in whole cents', () => {
  assert.equal(withTax(1000), 1210)
})

test('the tax inside a price is what was added', () => {
  assert.equal(taxPart(1210), 210)
})
