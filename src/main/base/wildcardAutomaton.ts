import type { CharacterClass } from './characterClass.ts'

/** One element of a name pattern. Text is a single character. A star never follows a star. */
export type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly has: CharacterClass }

/** Maximum number of cached character masks. */
const maxMasks = 512

/**
 * Simulates all positions in a pattern at once as bits: 32 tokens per step, without backtracking. This is the
 * Shift-And algorithm (Baeza-Yates and Gonnet) with stars as loops.
 */
export class WildcardAutomaton {
  readonly #tokens: readonly Token[]
  /** Bit n: token n is a star. */
  readonly #stars: Int32Array
  /** Bit n: token n matches this character. */
  readonly #masks = new Map<number, Int32Array>()

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    this.#stars = this.#bits((token) => token.kind === 'star')
  }

  /** Whether the tokens match a whole name. @param tally counts processed bit words */
  accepts(name: string, tally?: { steps: number }): boolean {
    const stars = this.#stars
    // Bit n: the tokens before n match the characters read so far.
    const places = new Int32Array(stars.length)
    places[0] = 1 | (((stars[0] ?? 0) & 1) << 1)
    for (let at = 0; at < name.length;) {
      const code = name.codePointAt(at) ?? 0
      at += code > 0xffff ? 2 : 1
      const mask = this.#maskOf(code)
      let carried = 0
      let alive = 0
      for (let word = 0; word < places.length; word++) {
        const before = places[word] ?? 0
        const loops = stars[word] ?? 0
        const moved = before & (mask[word] ?? 0)
        const reached = (moved << 1) | (before & loops) | carried
        // A star also matches the empty string.
        const passed = reached & loops
        places[word] = reached | (passed << 1)
        carried = (moved >>> 31) | (passed >>> 31)
        alive |= reached
      }
      if (tally) tally.steps += places.length
      if (alive === 0) return false
    }
    const end = this.#tokens.length
    return (((places[end >>> 5] ?? 0) >>> (end & 31)) & 1) === 1
  }

  #maskOf(code: number): Int32Array {
    const known = this.#masks.get(code)
    if (known !== undefined) return known
    const mask = this.#bits((token) => takes(token, code))
    if (this.#masks.size >= maxMasks) this.#masks.clear()
    this.#masks.set(code, mask)
    return mask
  }

  #bits(test: (token: Token) => boolean): Int32Array {
    // One more bit than tokens, for the position after the last token.
    const bits = new Int32Array((this.#tokens.length >>> 5) + 1)
    for (const [index, token] of this.#tokens.entries()) {
      if (test(token)) bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
    }
    return bits
  }
}

function takes(token: Token, code: number): boolean {
  switch (token.kind) {
    case 'text':
      return token.text.codePointAt(0) === code
    case 'class':
      return token.has(code)
    case 'any':
      return true
    case 'star':
      return false
  }
}
