import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { copySubstring } from './copySubstring.ts'

it('returns a part, with whole characters', () => {
  expect(copySubstring('abcdef', 1, 3)).toBe('bc')
  expect(copySubstring('abc', 0, 10)).toBe('abc')
  expect(copySubstring('añ🙂', 0, 3)).toBe('añ\uFFFD')
})

it('does not keep the whole text in memory', () => {
  setFlagsFromString('--expose-gc')
  // The flag adds it to new contexts.
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const parts = Array.from({ length: 50 }, (_, index) => copySubstring(`${index} a line\n`.repeat(100_000), 0, 1000))
  expect(used() - before).toBeLessThan(10_000_000)
  expect(parts).toHaveLength(50)
})
