import type { Expression } from '../../shared/extensions/languageConfiguration.ts'

/** Milliseconds of a slow match: a frame of a window with 60 per second. */
const frameMs = 16
/** Slow matches after which an expression is not used again. More than one, because other programs can cause one. */
const maxSlow = 3

/**
 * A regular expression of an extension for Monaco, which matches it in the window. Main has proved that its time is
 * at most quadratic; this bounds what remains: it matches no text longer than tested, and nothing any more after a few matches that took longer than a frame.
 */
class GuardedExpression extends RegExp {
  #maxLength: number
  #slow = 0

  constructor({ pattern, flags }: Expression, maxLength: number) {
    super(pattern, flags)
    this.#maxLength = maxLength
  }

  override exec(text: string): RegExpExecArray | null {
    if (this.#slow >= maxSlow || text.length > this.#maxLength) {
      this.lastIndex = 0
      return null
    }
    const start = performance.now()
    const match = super.exec(text)
    if (performance.now() - start > frameMs) this.#slow++
    return match
  }

  // Otherwise, methods such as `split` would create one without the arguments that it needs.
  static override get [Symbol.species](): RegExpConstructor {
    return RegExp
  }
}

export function guardedExpression(expression: Expression, maxLength: number): RegExp {
  return new GuardedExpression(expression, maxLength)
}
