/**
 * Removes the given characters from the end of a text. A regular expression such as `/[.,]+$/` takes quadratic time, because it
 * retries at each of these characters anywhere in the text.
 */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
