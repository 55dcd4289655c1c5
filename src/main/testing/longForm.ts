/** Whether this run is `npm run test:long`. */
export const isLongForm = process.env['TIZONA_TEST_LONG'] === '1'

/** Seed of random tests. Set `TIZONA_TEST_SEED` to repeat a failure. */
export const testSeed = Number(process.env['TIZONA_TEST_SEED'] ?? 20_261_121)

/** Returns the number of rounds of a random test: all in `npm run test:long`, a tenth (at least one) in `npm test`. */
export function roundsOf(rounds: number): number {
  return isLongForm ? rounds : Math.max(1, Math.ceil(rounds / 10))
}

/**
 * Returns the cases of a table of long tests: all in `npm run test:long`, a seeded choice of `count` of them in
 * `npm test`, in the table's order.
 */
export function chosenCases<T>(cases: readonly T[], count: number): readonly T[] {
  if (isLongForm || count >= cases.length) return cases
  const random = seededRandom()
  const left = cases.map((_, index) => index)
  const chosen = new Set(Array.from({ length: count }, () => left.splice(random.integer(left.length), 1)[0]))
  return cases.filter((_, index) => chosen.has(index))
}

/** A deterministic source of numbers in [0, 1) (mulberry32). */
export interface SeededRandom {
  (): number
  /** An integer from 0 to `below` - 1. */
  integer(below: number): number
  /** One of `choices`, which must not be empty. */
  pick<T>(choices: readonly T[]): T
}

export function seededRandom(seed: number = testSeed): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (below: number): number => Math.floor(next() * below)
  return Object.assign(next, {
    integer,
    pick<T>(choices: readonly T[]): T {
      const chosen = choices[integer(choices.length)]
      if (chosen === undefined) throw new Error('seededRandom.pick needs at least one choice')
      return chosen
    },
  })
}
