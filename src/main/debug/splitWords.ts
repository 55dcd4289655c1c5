/**
 * Splits a text into arguments as a POSIX shell does: quotes and backslashes, but no variables and patterns.
 */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && /["\\$`]/.test(text[index + 1] ?? ''))
        word = (word ?? '') + (text[++index] ?? '')
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (character === '\\' && index + 1 < text.length) word = (word ?? '') + (text[++index] ?? '')
    else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return words
}
