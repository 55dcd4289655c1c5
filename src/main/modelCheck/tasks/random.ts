/** Creates a deterministic source of numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns an integer from `min` to `max`, both inclusive. */
export function randomInteger(random: () => number, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1))
}

/** Letters and digits that look different from each other. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ'
const digits = '23456789'

/** Returns a code such as `KQ-4827`, which a model can know only from the text that contains it. */
export function randomCode(random: () => number): string {
  const pick = (from: string, count: number): string =>
    Array.from({ length: count }, () => from[Math.floor(random() * from.length)]).join('')
  return `${pick(letters, 2)}-${pick(digits, 4)}`
}
