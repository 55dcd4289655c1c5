/** Tokens that one character can take at most: its bytes. */
const maxHeld = 4
/** Tokens before a piece that the tokenizer needs to decide about spaces. */
export const contextTokens = 8

/** Converts a stream of tokens to text. Holds back tokens that end inside a character. */
export class TextDecoderOfTokens<Token> {
  readonly #detokenize: (tokens: readonly Token[], before: readonly Token[]) => string
  #held: Token[] = []
  #before: Token[] = []

  constructor(detokenize: (tokens: readonly Token[], before: readonly Token[]) => string) {
    this.#detokenize = detokenize
  }

  /** @returns the text that is complete now; '' inside a character */
  push(token: Token): string {
    this.#held.push(token)
    const text = this.#detokenize(this.#held, this.#before)
    if (text.endsWith('\ufffd') && this.#held.length < maxHeld) return ''
    this.#before = [...this.#before, ...this.#held].slice(-contextTokens)
    this.#held = []
    return text
  }

  /** @returns what is held back */
  end(): string {
    const text = this.#held.length > 0 ? this.#detokenize(this.#held, this.#before) : ''
    this.#held = []
    return text
  }
}
