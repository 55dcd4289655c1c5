import { describe, expect, test } from 'vitest'
import { createCallAssembler } from './callAssembler.ts'

/** Feeds each argument as the tool_calls of one delta, and returns the finished calls. */
function assemble(...deltas: unknown[]) {
  const assembler = createCallAssembler(new Set())
  const started = deltas.flatMap((delta) => assembler.push(delta))
  const calls = assembler.finish().flatMap((event) => (event.kind === 'call' ? [event.call] : []))
  expect(started).toHaveLength(calls.filter((call) => call.name).length)
  expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length)
  return calls.map((call) => [call.name, call.arguments])
}
const part = (fields: { index?: number; id?: string; name?: string; args?: unknown }) => ({
  index: fields.index,
  id: fields.id,
  function: { name: fields.name, arguments: fields.args },
})

describe('calls assembled from fragments', () => {
  test('a fragment without name and arguments is not a call', () => {
    expect(assemble([{ function: null }], [part({ index: 1 })], [part({ index: 2, id: 'x', args: '' })])).toEqual([])
    expect(assemble([{ index: 0, function: null }], [part({ index: 1, name: 'f', args: '{}' })])).toEqual([['f', '{}']])
  })
  test('by index, interleaved, ids only in the first fragment', () => {
    expect(
      assemble(
        [part({ index: 0, id: 'a', name: 'f', args: '' }), part({ index: 1, id: 'b', name: 'g', args: '' })],
        [part({ index: 1, args: '{"y":' })],
        [part({ index: 0, args: '{"x":' })],
        [part({ index: 0, args: '1}' })],
        [part({ index: 1, args: '2}' })],
      ),
    ).toEqual([
      ['f', '{"x":1}'],
      ['g', '{"y":2}'],
    ])
  })
  test('without any index, by id', () => {
    expect(
      assemble(
        [part({ id: 'a', name: 'f', args: '{"x"' })],
        [part({ args: ':1}' })],
        [part({ id: 'b', name: 'f', args: '{}' })],
      ),
    ).toEqual([
      ['f', '{"x":1}'],
      ['f', '{}'],
    ])
  })
  test('without index and without ids', () => {
    expect(
      assemble(
        [part({ name: 'f', args: '{"x":' })],
        [part({ args: '1}' })],
        [part({ name: 'f', args: '{"x":2}' })],
        [part({ name: 'g', args: '{}' })],
      ),
    ).toEqual([
      ['f', '{"x":1}'],
      ['f', '{"x":2}'],
      ['g', '{}'],
    ])
  })
  test('every call with index 0 and an id', () => {
    expect(
      assemble(
        [part({ index: 0, id: 'a', name: 'f', args: '{}' })],
        [part({ index: 0, id: 'b', name: 'f', args: '{}' })],
      ),
    ).toHaveLength(2)
  })
  test('every call with the same id', () => {
    expect(
      assemble([part({ id: 'x', name: 'f', args: '{"n":1}' }), part({ id: 'x', name: 'f', args: '{"n":2}' })]),
    ).toEqual([
      ['f', '{"n":1}'],
      ['f', '{"n":2}'],
    ])
  })
  test('name and id repeated with every fragment', () => {
    expect(
      assemble(
        [part({ index: 0, id: 'a', name: 'f', args: '{"x"' })],
        [part({ index: 0, id: 'a', name: 'f', args: ':1}' })],
        [part({ index: 0, id: 'a', name: 'f', args: '' })],
      ),
    ).toEqual([['f', '{"x":1}']])
  })
  test('arguments as an object', () => {
    expect(assemble([part({ name: 'f', args: { x: 1 } })])).toEqual([['f', '{"x":1}']])
  })
  test('malformed fragments are not calls', () => {
    expect(assemble(undefined, 'x', [null, 7])).toEqual([])
  })
})

test('an id that the conversation already has is replaced', () => {
  const assembler = createCallAssembler(new Set(['call_0']))
  assembler.push([part({ index: 0, id: 'call_0', name: 'f', args: '{}' })])
  expect(assembler.finish()).toMatchObject([{ call: { id: 'call_0_2' } }])
})
