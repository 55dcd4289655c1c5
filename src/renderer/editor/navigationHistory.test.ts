import { beforeEach, expect, test } from 'vitest'
import { forgetTravel, noTravel, onJourney, travel, useTravel, visit, visited, type Stop } from './navigationHistory.ts'

const stop = (path: string, line: number): Stop => ({ path, line, column: 1 })
const seen = (): string[] => useTravel.getState().stops.map(({ path, line }) => `${path}:${line}`)

beforeEach(forgetTravel)

test('a stop moves along with small moves, and a far one or another file is a new stop', () => {
  for (const place of [stop('a', 1), stop('a', 9), stop('a', 30), stop('b', 30)]) visit(place)
  expect(seen()).toEqual(['a:9', 'a:30', 'b:30'])
})

test('goes back and forward without making new stops, and stays at the ends', async () => {
  const opened: string[] = []
  const open = async (place: Stop) => {
    // What a tab shows on the way there.
    visit(stop(place.path, 500))
    opened.push(`${place.path}:${place.line}`)
  }
  for (const place of [stop('a', 1), stop('b', 1), stop('c', 1)]) visit(place)
  for (const step of [-1, -1, -1, 1, 1, 1] as const) await travel(step, open)
  expect(opened).toEqual(['b:1', 'a:1', 'b:1', 'c:1'])
  expect(seen()).toEqual(['a:1', 'b:1', 'c:1'])
})

test('another way forgets what lay ahead', async () => {
  for (const place of [stop('a', 1), stop('b', 1)]) visit(place)
  await travel(-1, async () => {})
  visit(stop('c', 1))
  expect(seen()).toEqual(['a:1', 'c:1'])
})

test('a journey that fails ends all the same, and the oldest stops are dropped', async () => {
  await expect(onJourney(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  visit(stop('a', 1))
  expect(seen()).toEqual(['a:1'])
  const many = Array.from({ length: 150 }, (_, index) => stop(`f${index}`, 1)).reduce(visited, noTravel)
  expect(many.stops).toHaveLength(100)
  expect(many.stops.at(-1)?.path).toBe('f149')
})
