import fc from 'fast-check'
import { it } from 'vitest'
import { isLongForm, testSeed } from './longForm.ts'

// Properties that hold for any input. A failure prints the seed, the path to the case and the smallest counterexample;
// TIZONA_TEST_SEED repeats it.

/** Number of cases of a property. */
export const fuzzCases = isLongForm ? 100_000 : 2_000
/** Time limit of a property in milliseconds, for a machine that hangs. */
const timeout = isLongForm ? 3_600_000 : 300_000

/**
 * Defines a test that checks a property of generated values.
 * @param check throws if a value violates the property
 */
export function fuzz<Values extends [unknown, ...unknown[]]>(
  title: string,
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  check: (...values: Values) => Promise<void> | void,
): void {
  it(
    title,
    async () => {
      const property = fc.asyncProperty(...values, async (...generated) => {
        await check(...generated)
      })
      await fc.assert(property, { numRuns: fuzzCases, seed: testSeed })
    },
    timeout,
  )
}

/** Texts that are joined from these parts, which a parser treats specially, and from arbitrary characters. */
export function textOf(parts: readonly string[], maxParts = 20): fc.Arbitrary<string> {
  const part = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...parts) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  )
  return fc.array(part, { maxLength: maxParts }).map((all) => all.join(''))
}

/** Splits a text or bytes at these places, which may repeat and be out of range. */
export function chunksOf<Whole extends { length: number; slice(from: number, to?: number): Whole }>(
  whole: Whole,
  places: readonly number[],
): Whole[] {
  const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length))
}

/** Places for `chunksOf`. */
export const cuts = fc.array(fc.nat(2_000), { maxLength: 30 })
