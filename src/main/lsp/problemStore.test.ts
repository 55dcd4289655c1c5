import { afterEach, expect, it, vi } from 'vitest'
import { createPositionCodec } from './lineText.ts'
import { createProblemStore } from './problemStore.ts'

afterEach(() => vi.useRealTimers())

const convert = { codec: createPositionCodec('utf-16'), lines: null, pathOf: () => null }
const source = { server: 'typescript', way: 'push' } as const
const error = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: 'wrong' }

it('a server that reports problems in ever more files fills neither the memory nor the window', () => {
  vi.useFakeTimers()
  const sent: string[] = []
  const store = createProblemStore(({ path }) => sent.push(path))
  for (let file = 0; file < 20_000; file++) store.set(`f${file}.ts`, source, [error], convert)
  vi.runAllTimers()
  expect(store.all()).toHaveLength(2000)
  expect(sent).toHaveLength(2000)
  store.set('f0.ts', source, [], convert)
  store.set('f19999.ts', source, [error], convert)
  expect(store.of('f19999.ts').problems).toHaveLength(1)
  store.close()
})
